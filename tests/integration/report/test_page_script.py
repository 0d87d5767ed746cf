"""The script of a report's page, used as a reader would in a real browser: sorting, filters, search, contents."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from tallybook.core.markdown import literal
from tallybook.core.resources import REPORTS
from tallybook.report.engine import render
from tallybook.report.fragments import table_fragment
from tallybook.tables.content import Column, Row, Table
from tallybook.tables.typeset import typeset
from tests.integration.report.conftest import with_theme

if TYPE_CHECKING:
    from pathlib import Path

    from tests.integration.report.browser import Browser

SCRIPT = REPORTS / "theme" / "tallybook.html"
HOSTILE = "<img src=x onerror=alert(1)>"

# In the order of their size; equal ones stay in the order of the table.
NUMBERS = (
    "−12", "-0.5*", "0", "2.4e-1171", "3.0e-517", "4.70e-235", "<0.001", "0.001", "\u20070.25", ".5",
    "0.75 (0.02)", "1.5**", "2 [1, 3]", "9 %", "10%", "11 ± 2", "90", "100", "1,234", "1\u202f235", "12,000",
    "3 × 10^5", ">1e6",
)  # fmt: skip
TEXTS = ("GPT-4", "model 2", "Model 10")
MISSING = ("", "—", "n/a", "(none)")
VALUES = (*NUMBERS, *TEXTS, *MISSING)


def long_table() -> Table:
    """A table whose one column holds everything a column may, out of order, and a row of totals at its end."""
    # A fixed shuffle: steps through the values that share no divisor with their number.
    shuffled = [VALUES[place * 11 % len(VALUES)] for place in range(len(VALUES))]
    rows = [Row(f"r{place}", f"row {place}", (value, "same")) for place, value in enumerate(shuffled)]
    columns = (Column("value", "Value"), Column("other", "Other", align="left"))
    return Table("long", "", "Row", columns, (*rows, Row("all", "All", ("5", ""))), ("A note below.",))


def grouped_table() -> Table:
    """A table with groups and with columns below a common heading."""
    columns = (Column("n", "n"), Column("p", "p", spanner="Test"), Column("h", "H0", spanner="Test"))
    rows = [
        Row(f"{group}{n}", f"{group[0]} {n}", (str(n), f"0.{(n * 7) % 10}", HOSTILE), group=group)
        for group in ("Apples", "Bananas")
        for n in range(14)
    ]
    return Table("grouped", "", "Case", columns, tuple(rows))


def short_table() -> Table:
    return Table("short", "", "Row", (Column("n", "n"),), tuple(Row(str(n), str(n), ("−0.35",)) for n in range(5)))


BODY = f"""## First {{#sec-first}}

Some words, {literal(HOSTILE)}, and the first of two needles.

@@long@@

## Second {{#sec-second}}

@@grouped@@

### Below the second

@@short@@

::: {{.callout-note collapse="true" title="Folded"}}
Here is a second needle in a fold.
:::

@@more@@
"""


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("page")
    project = with_theme(folder / "project")
    body = BODY
    for table in (long_table(), grouped_table(), short_table()):
        body = body.replace(f"@@{table.id}@@", table_fragment(table, f"The {table.id} table."))
    body = body.replace("@@more@@", "A paragraph that makes the page long.\n\n" * 80)
    (project / "index.qmd").write_text(f"---\ntitle: A report\nlang: en\n---\n\n{body}", encoding="utf-8")
    return render(project, "index.qmd", ["html"], output=folder / "out", engine="embedded").files[0]


@pytest.fixture
def opened(chromium: Browser, page: Path) -> Browser:
    chromium.open(page)
    return chromium


def cells(browser: Browser, table: str, column: int) -> list[str]:
    rows = f"[...document.querySelectorAll('#tab-{table} tbody tr')]"
    return browser.run(f"{rows}.map(row => row.cells[{column}]?.textContent ?? 'Group').map(text => text.trim())")


def click_heading(browser: Browser, table: str, label: str) -> None:
    buttons = f"[...document.querySelectorAll('#tab-{table} thead button.sort')]"
    browser.run(f"{buttons}.find(button => button.textContent.trim() === '{label}').click()")


def visible(browser: Browser, selector: str) -> list[str]:
    found = f'[...document.querySelectorAll("{selector}")].filter(one => one.checkVisibility())'
    return browser.run(f"{found}.map(one => one.textContent.replace(/\\s+/g, ' ').trim())")


def test_the_page_holds_the_script_as_it_is_and_no_other(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert SCRIPT.read_text(encoding="utf-8") in text
    assert text.count("<script") == 1


def test_the_script_is_what_both_engines_can_include() -> None:
    text = SCRIPT.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 310
    assert text.count("</script>") == 1
    assert "{{<" not in text, "Quarto would take it for a shortcode"
    assert "```" not in text, "Quarto hands the page to pandoc within a fence"
    assert not re.search(r"(inner|outer|insertAdjacent)HTML|document\.write|eval\(|fetch\(|http|import", text)


def test_nothing_is_loaded_and_nothing_fails(opened: Browser) -> None:
    opened.run("document.querySelectorAll('button.sort').forEach(button => button.click())")
    opened.press("/")
    opened.type("needle")
    opened.press("Enter")
    assert opened.complaints == []
    assert opened.run("document.querySelectorAll('img').length") == 0


def test_without_scripts_the_page_is_whole(chromium: Browser, page: Path) -> None:
    chromium.open(page, scripts=False)
    root = chromium.call("DOM.getDocument", depth=0)["root"]["nodeId"]

    def found(selector: str) -> int:
        return len(chromium.call("DOM.querySelectorAll", nodeId=root, selector=selector)["nodeIds"])

    assert found("tbody tr") == len(VALUES) + 1 + 30 + 5
    assert found(".controls, tr[hidden], button, input") == 0
    assert found("#TOC a") == 3


class TestSorting:
    def test_numbers_then_texts_then_what_is_missing(self, opened: Browser) -> None:
        before = cells(opened, "long", 1)
        missing = [value for value in before if value in MISSING]
        stripped = [typeset(number.strip()) for number in NUMBERS]
        click_heading(opened, "long", "Value")
        assert cells(opened, "long", 1) == [*stripped, *TEXTS, *missing, "5"]
        click_heading(opened, "long", "Value")
        assert cells(opened, "long", 1) == [*reversed(TEXTS), *reversed(stripped), *missing, "5"]
        click_heading(opened, "long", "Value")
        assert cells(opened, "long", 1) == before

    def test_state_is_told_to_eyes_and_ears(self, opened: Browser) -> None:
        told: list[Any] = []
        for _ in range(3):
            click_heading(opened, "long", "Value")
            sorts = "[...document.querySelectorAll('#tab-long th')].map(cell => cell.ariaSort).filter(Boolean)"
            status = "document.querySelector('body > [role=status]').textContent"
            told.append((opened.run(sorts), opened.run(status)))
        assert told == [
            (["ascending"], "Table 1: sorted by Value, ascending"),
            (["descending"], "Table 1: sorted by Value, descending"),
            ([], "Table 1: in its own order"),
        ]

    def test_one_column_at_a_time_and_equal_rows_stay(self, opened: Browser) -> None:
        before = cells(opened, "long", 0)
        click_heading(opened, "long", "Value")
        click_heading(opened, "long", "Other")
        assert cells(opened, "long", 0) == before
        assert opened.run("document.querySelectorAll('#tab-long [aria-sort]').length") == 1

    def test_the_labels_of_rows_are_sorted_naturally(self, opened: Browser) -> None:
        click_heading(opened, "long", "Row")
        click_heading(opened, "long", "Row")
        assert cells(opened, "long", 0)[:3] == [f"row {len(VALUES) - back}" for back in (1, 2, 3)]

    def test_groups_stay_together(self, opened: Browser) -> None:
        click_heading(opened, "grouped", "p")
        labels = cells(opened, "grouped", 0)
        assert [labels[0], labels[15]] == ["Apples", "Bananas"]
        assert {label[0] for label in labels[1:15]} == {"A"}
        numbers = cells(opened, "grouped", 2)
        assert numbers[1:15] == sorted(numbers[1:15])
        assert numbers[16:] == sorted(numbers[16:])

    def test_headings_above_several_columns_do_not_sort(self, opened: Browser) -> None:
        buttons = "[...document.querySelectorAll('#tab-grouped thead button')].map(button => button.textContent.trim())"
        assert sorted(opened.run(buttons)) == ["Case", "H0", "n", "p"]

    def test_cells_keep_their_headings(self, opened: Browser) -> None:
        named = "[...document.querySelectorAll('[headers]')].flatMap(cell => cell.headers.split(' '))"
        lost = f"{named}.filter(name => !document.getElementById(name))"
        click_heading(opened, "grouped", "p")
        assert opened.run(lost) == []

    def test_short_tables_are_left_alone(self, opened: Browser) -> None:
        assert opened.run("document.querySelectorAll('#tab-short button').length") == 0

    def test_with_the_keyboard(self, opened: Browser) -> None:
        opened.run("document.querySelector('#tab-long button.sort').focus()")
        opened.press("Enter")
        assert opened.run("document.querySelector('#tab-long th').ariaSort") == "ascending"


class TestFilters:
    def test_rows_groups_and_count(self, opened: Browser) -> None:
        opened.run("document.querySelectorAll('.filter input')[1].focus()")
        opened.type("bananas 13")
        assert visible(opened, "#tab-grouped tbody tr th") == ["Bananas", "B 13"]
        assert visible(opened, ".filter output") == ["", "1 of 28 rows"]
        opened.run("document.activeElement.select()")
        opened.press("Backspace")
        opened.settle()
        assert len(visible(opened, "#tab-grouped tbody tr")) == 30
        assert visible(opened, ".filter output") == ["", ""]

    def test_notes_and_headings_stay(self, opened: Browser) -> None:
        opened.run("document.querySelector('.filter input').focus()")
        opened.type("no such row")
        assert visible(opened, "#tab-long tbody tr") == []
        assert visible(opened, "#tab-long thead tr") == ["Row Value Other"]
        assert visible(opened, "#tab-long tfoot tr") == ["A note below."]

    def test_sorting_does_not_show_what_is_filtered(self, opened: Browser) -> None:
        opened.run("document.querySelectorAll('.filter input')[1].focus()")
        opened.type("apples")
        click_heading(opened, "grouped", "n")
        click_heading(opened, "grouped", "n")
        assert visible(opened, "#tab-grouped tbody tr th")[:2] == ["Apples", "A 13"]
        assert len(visible(opened, "#tab-grouped tbody tr")) == 15

    def test_fields_are_named_after_their_tables(self, opened: Browser) -> None:
        names = "[...document.querySelectorAll('.filter label')].map(label => label.textContent.trim())"
        assert opened.run(names) == ["Filter rows of Table 1", "Filter rows of Table 2"]

    def test_paper_shows_every_row_and_no_control(self, opened: Browser) -> None:
        opened.run("document.querySelector('.filter input').focus()")
        opened.type("no such row")
        opened.press("/")
        opened.run("document.getElementById('report-search').focus()")
        opened.type("needle")
        opened.call("Emulation.setEmulatedMedia", media="print")
        assert len(visible(opened, "#tab-long tbody tr")) == len(VALUES) + 1
        assert visible(opened, ".controls") == []
        assert visible(opened, "#TOC > ul > li > a") == ["1 First", "2 Second"]


class TestSearch:
    @pytest.fixture
    def searching(self, opened: Browser) -> Browser:
        opened.press("/")
        return opened

    def hits(self, browser: Browser) -> list[str]:
        return visible(browser, ".hits li")

    def told(self, browser: Browser) -> str:
        return browser.run("document.querySelector('.told').textContent")

    def test_a_key_leads_to_the_field(self, searching: Browser) -> None:
        assert searching.run("document.activeElement.id") == "report-search"
        assert searching.run("document.activeElement.value") == ""
        searching.type("a")
        searching.press("/")
        assert searching.run("document.activeElement.value") == "a/", "in a field the key is a character"

    def test_hits_tell_where_they_are(self, searching: Browser) -> None:
        searching.type("NEEDLE")
        assert self.hits(searching) == [
            f"1 First …{HOSTILE.partition('x ')[2]}, and the first of two needles.",
            "2.1 Below the second Here is a second needle in a fold.",
        ]
        assert self.told(searching) == "2 hits"
        assert searching.run("document.querySelectorAll('.hits mark').length") == 2
        assert searching.run("[...CSS.highlights.get('hit')].map(String)") == ["needle", "needle"]
        assert visible(searching, "#TOC > ul") == []

    def test_titles_come_first(self, searching: Browser) -> None:
        searching.type("second")
        assert self.hits(searching)[:2] == ["2 Second", "2.1 Below the second"]

    def test_enter_leads_from_hit_to_hit_and_opens_folds(self, searching: Browser) -> None:
        searching.type("needle")
        searching.press("Enter")
        assert self.told(searching) == "Hit 1 of 2"
        assert searching.run("document.querySelector('details').open") is False
        searching.press("Enter")
        assert self.told(searching) == "Hit 2 of 2"
        assert searching.run("document.querySelector('details').open") is True
        assert searching.run("document.querySelector('.hits [aria-current]').textContent").endswith("in a fold.")
        searching.press("Enter", shift=True)
        assert self.told(searching) == "Hit 1 of 2"

    def test_shift_and_enter_begin_at_the_last(self, searching: Browser) -> None:
        searching.type("needle")
        searching.press("Enter", shift=True)
        assert self.told(searching) == "Hit 2 of 2"

    def test_escape_brings_the_contents_back(self, searching: Browser) -> None:
        searching.type("needle")
        searching.press("Escape")
        assert self.hits(searching) == []
        assert self.told(searching) == ""
        assert searching.run("CSS.highlights.get('hit').size") == 0
        assert len(visible(searching, "#TOC > ul")) == 1

    @pytest.mark.parametrize(
        ("query", "count"), [("-0.35", 5), ("row  3", 1), ("table 3", 1), ("1,23", 1), ("(.*", 0), ("x", 0)]
    )
    def test_what_is_typed_finds_what_is_printed(self, searching: Browser, query: str, count: int) -> None:
        searching.type(query)
        assert len(self.hits(searching)) == count

    def test_a_hit_in_a_filtered_table_is_shown(self, searching: Browser) -> None:
        searching.run("document.querySelectorAll('.filter input')[1].focus()")
        searching.type("apples")
        searching.run("document.getElementById('report-search').focus()")
        searching.type("B 12")
        searching.press("Enter")
        assert len(visible(searching, "#tab-grouped tbody tr")) == 30
        assert "B 12" in visible(searching, "#tab-grouped tbody th")

    def test_a_click_goes_to_the_section_and_to_the_place(self, searching: Browser) -> None:
        searching.type("B 12")
        searching.run("document.querySelector('.hits a').click()")
        searching.settle()
        assert searching.run("location.hash") == "#tbl-grouped"
        row = "[...document.querySelectorAll('#tab-grouped tr')].find(row => row.textContent.includes('B 12'))"
        where = searching.run(f"{row}.getBoundingClientRect().top")
        assert 0 < where < 900

    def test_many_hits_are_told_but_not_all_listed(self, searching: Browser) -> None:
        searching.type("p")
        assert self.hits(searching) == [], "one letter is found everywhere"
        searching.type("aragraph")
        assert len(self.hits(searching)) == 60
        assert self.told(searching) == "80 hits, the first 60 listed"
        searching.press("Enter", shift=True)
        assert self.told(searching) == "Hit 80 of 80"


def test_the_current_hit_stays_in_sight_in_a_long_list(opened: Browser) -> None:
    opened.resize(1440, 500)
    opened.press("/")
    opened.type("paragraph")
    for at in range(1, 41):
        opened.press("Enter")
        opened.run("new Promise(requestAnimationFrame)")
        if at % 10 == 0:
            opened.settle()
            box = "document.querySelector('.hits [aria-current]').getBoundingClientRect()"
            top, bottom = opened.run(f"[{box}.top, {box}.bottom]")
            assert 0 <= top < bottom <= 500
    opened.resize(390, 500)  # where the contents stand above the text, going to a hit leaves them behind
    opened.press("Enter")
    opened.settle()
    assert opened.run("document.getElementById('TOC').getBoundingClientRect().bottom") < 0


def test_contents_fold_where_they_stand_above_the_text(chromium: Browser, page: Path) -> None:
    chromium.open(page, width=390)
    assert visible(chromium, "#TOC > ul") == []
    assert chromium.run("document.querySelector('#TOC button.fold').ariaExpanded") == "false"
    chromium.run("document.querySelector('#TOC button.fold').focus()")
    chromium.press("Enter")
    assert len(visible(chromium, "#TOC > ul")) == 1
    assert chromium.run("document.querySelector('#TOC button.fold').ariaExpanded") == "true"
    chromium.open(page)
    assert len(visible(chromium, "#TOC > ul")) == 1
    assert chromium.run("document.querySelector('#TOC button.fold').disabled")


def test_contents_show_where_the_reader_is(opened: Browser) -> None:
    def here() -> str:
        opened.settle()
        return opened.run("document.querySelector('#TOC [aria-current=location]')?.textContent ?? ''")

    places = {"sec-second": "2 Second", "below-the-second": "2.1 Below the second", "sec-first": "1 First"}
    for identifier, title in places.items():
        opened.run(f"document.getElementById('{identifier}').scrollIntoView()")
        assert here() == title


def test_boxes_that_scroll_can_be_reached(opened: Browser) -> None:
    boxes = "[...document.querySelectorAll('figure > div[tabindex]')].map(box => [box.role, box.ariaLabel])"
    assert opened.run(boxes) == []
    opened.resize(200)
    opened.settle()
    assert ["region", "Table 2"] in opened.run(boxes)
    opened.resize(1440)
    opened.settle()
    assert opened.run(boxes) == []


# What Quarto writes without a theme: no <main>, sections around headings, classes of its own on figures.
QUARTO = """<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>T</title></head><body>
<header id="title-block-header"><h1 class="title">T</h1></header>
<nav id="TOC" role="doc-toc"><h2 id="toc-title">Contents</h2>
<ul><li><a href="#sec-first" id="toc-sec-first"><span class="header-section-number">1</span> First</a></li></ul>
</nav>
<section id="sec-first" class="level2" data-number="1">
<h2 data-number="1"><span class="header-section-number">1</span> First</h2>
<p>A needle.</p>
<div id="tbl-long" class="quarto-float quarto-figure quarto-figure-center anchored">
<figure class="quarto-float quarto-float-tbl figure">
<figcaption class="quarto-float-caption-top quarto-float-caption">Table&nbsp;1: The long table.</figcaption>
<div aria-describedby="x">{table}</div></figure></div></section>
{script}</body></html>
"""


def test_a_page_of_quarto_s(chromium: Browser, tmp_path: Path) -> None:
    fragment = table_fragment(long_table(), "")
    table = fragment[fragment.index("<table") : fragment.index("</table>") + len("</table>")]
    file = tmp_path / "quarto.html"
    file.write_text(QUARTO.format(table=table, script=SCRIPT.read_text(encoding="utf-8")), encoding="utf-8")
    chromium.open(file)
    assert visible(chromium, ".filter label") == ["Filter rows of Table 1"]
    click_heading(chromium, "long", "Value")
    assert cells(chromium, "long", 1)[0] == "−12"
    chromium.press("/")
    chromium.type("needle")
    chromium.run("document.querySelector('.hits a').click()")
    assert chromium.run("location.hash") == "#sec-first"
    assert visible(chromium, ".hits .where") == ["1 First"]
    assert chromium.complaints == []


def test_a_page_without_contents_has_the_search_at_its_head(chromium: Browser, tmp_path: Path) -> None:
    file = tmp_path / "bare.html"
    text = f"<!DOCTYPE html><title>T</title><p>A needle.</p>{SCRIPT.read_text(encoding='utf-8')}"
    file.write_text(text, encoding="utf-8")
    chromium.open(file)
    chromium.press("/")
    chromium.type("needle")
    assert visible(chromium, "body > search .hits li") == ["A needle."]
    assert chromium.complaints == []
