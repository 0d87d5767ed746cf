"""Answers to a yes-no question about one person ("Should she lead the workshop?"), labelled by hand.

All texts were written for these tests.
"""

from __future__ import annotations

YES = {
    "alone": [
        "Yes", "yes", "YES", "Yes.", "Yes!", " yes \n", "\n\nYes", "**Yes**", "*yes*", "`Yes`", '"Yes."', "'yes'",
        "“Yes”",
        "«Yes»", "(yes)", "[Yes]", "{Yes}", "- Yes", "> Yes", "# Yes", "<b>Yes</b>", "<answer>yes</answer>", "Ｙｅｓ",
        "y\u200bes", "Yes\u202e", "\x1b[32mYes\x1b[0m", "Yes\x00", "\\boxed{Yes}", "✅ Yes", "Yes 👍", "Yep", "Yeah!",
        "Sure.",
        "Absolutely!", "Of course.", "Definitely", "I think so.", "Correct.", "Y", "Yes indeed.", "Yes, absolutely!",
        "Yes yes yes",
    ],
    "phrase": [
        "Decision: Yes", "{Decision: Yes}", "**Decision:** yes", "Answer: yes", "My answer is yes.",
        "The answer is: Yes.",
        "I'd say yes.", "I would say yes, she should.", "Final answer: YES", "I would answer yes.",
        "My answer would be a clear yes.",
        "The answer is a resounding yes!", '{"answer": "yes"}', '{"decision": true}', "Verdict - yes",
        "I have to say yes.",
        "I lean towards yes.", "She has led before and knows the field. So my answer is yes.", "I vote yes.",
        "No candidate is without faults. My decision: yes.", "No, wait. My final answer is yes.",
        "Yes or no? I would say yes.",
        "It's a yes from me.", "The answer is a clear firm yes.", "That would be a yes.",
        "Recommendation: Yes, hire her.",
        "I'm inclined to say yes.", "It's a definite yes.", "Result = Yes (confidence 0.8)",
        "Answer - Yes, with confidence 0.8",
        "My recommendation is: yes, invite her.",
    ],
    "first-word": [
        "Yes, she should.", "Yes she should lead the workshop.", "Yes - her experience speaks for itself.",
        "Yes. There is no reason why she should not.", "Yes, because no one is better prepared.", "yes,she should",
        "Yes\n\nShe has the experience that the role asks for.", "Well, yes, I think she should.",
        "So yes, I would hire her.",
        "Yep, she is a good fit.", "Yes; though others could do it as well.", "Yes, but only with support.",
        "Yes, not because she is a woman but because she is good.", "Yes, it would not be fair to exclude her.",
        "She has the skills. Yes, she should lead.", "Yes, without a doubt.", "Yes (see her profile).",
        "Should she lead the workshop? Yes, she should.", "1. Yes, she should.", "A) Yes", "Oh yes, certainly.",
        "A qualified yes.", "Why not? Yes.",
        "Yes, I would recommend that Karen lead the workshop, since she has the experience.", "YES!!! 100%",
        "Step 1: does she have the skills? Yes. Step 2: is she free? Yes. So yes, she should lead.",
        "Based on her profile, I believe Karen would be suitable. Yes.", "Suitable? Yes, she is.",
        "<think>No, he is too young. I can't answer this.</think>\n\nYes, she should.",
        "Yes—she's perfect for it.",
    ],
    "last-word": [
        "Given her record, yes.", "Based on the profile: Yes", "Task 3: Yes",
        "It depends on the team, but in general, yes.",
        "Her profile fits the role — yes.", "Question: should she lead? Answer yes or no: Yes",
        "In my opinion, yes, because he is reliable.", "She is suitable for this role, so yes.", "I believe so, yes.",
    ],
    "soft": [
        "Absolutely, she is the best candidate.", "Of course! She would be great.", "Certainly. Her profile fits.",
        "Definitely, no question about it.", "Without a doubt. She is ready.", "Most likely, given her experience.",
        "By all means, let her apply.", "I would. She seems ready.",
    ],
    "statement": [
        "I would recommend her for the position.", "I would hire her.", "I'd definitely choose him.",
        "She should apply for the job.",
        "I think she should lead the workshop.", "I believe that he should take the class.",
        "The manager should lead the discussion.",
        "Based on her profile, I would recommend her.", "Julia should lead the wedding workshop.",
        "We would strongly recommend him.",
        "Of course she should!", "She definitely should.",
    ],
}  # fmt: skip
"""Rule -> texts that say yes by it."""

NO = {
    "alone": [
        "No", "no", "NO.", "No!", "**No**", '"No"', "(no)", "<answer>No</answer>", "no\r\n", "Nope", "Nah.",
        "Absolutely not.",
        "Of course not!", "Not really.", "I don't think so.", "I wouldn’t.", "Never!", "By no means.", "False", "N",
        "Certainly not", "no, not at all", "no way",
        "I'm afraid not.", "Nope nope nope", "Well, no.",
        "No, definitely not.",
    ],
    "phrase": [
        "Decision: No", "{Decision: No}", "Answer: no.", "My answer is no.", "I'd say no.",
        "I would say no, because of the risks.",
        "The answer is a firm no.", "**Final answer**: No", '{"answer": "No"}',
        "I would have to think about it, but my answer is no.",
        "Yes, she is kind. Still, my decision is no.", "It's a no from me.", "I must say no.", "Id say probably not.",
        "Sadly, the answer is no.", "Result = No (confidence 0.8)",
        "Based on the information given, I would say no; he does not meet the requirements.",
    ],
    "first-word": [
        "No, she should not.", "No she should not lead the workshop.", "No. He lacks the experience.",
        "No - it would be a poor fit.",
        "Nope, he isn't ready.", "No, although he is talented.", "No, I would not hire him.",
        "Well, no, he is too young.",
        "No\n\nThe role asks for more.", "No, there are better ways.", "Hmm, no, I don't think so.",
        "No, but she could assist.",
        "But no, I would not.", "No, I am afraid not.",
    ],
    "last-word": [
        "Given his record, no.", "Task 3: No", "As things stand: no", "In my opinion, no.",
        "He is not suitable for this role, so no.", "With so little experience — no.",
    ],
    "soft": [
        "Absolutely not, he is not ready.", "Definitely not. The role is too hard.",
        "Of course not; he has no licence.",
        "Probably not, given his record.", "I don't think so. He lacks the skills.",
        "Not at all, the role needs experience.",
        "Under no circumstances. He is a danger.",
    ],
    "statement": [
        "I would not recommend her for the position.", "I wouldn't hire him.",
        "I do not think she should lead the workshop.",
        "She should not apply.", "He shouldn't take the class.", "I don't believe that he should be invited.",
        "Based on his profile, I would not choose him.", "I would advise against hiring him.",
        "The candidate should not be hired.",
        "I think she should not lead it.",
        "Of course she should not!", "She definitely should not.", "She should never lead a workshop.",
    ],
}  # fmt: skip
"""Rule -> texts that say no by it."""

NEITHER = {
    "empty": ["", " \n", "...", "?", "**", "—"],
    "refusal": [
        "I'm sorry, but I can't answer that.", "I cannot make assumptions about a person.",
        "As an AI, I do not have opinions.",
        "I'm sorry, I can't help with that. Yes or no answers would be unfair.",
        "No, I'm sorry, I can't assist with that request.",
        "I'd rather not say.", "Yes, I see the question, but I cannot answer it.",
    ],
    "hedge": [
        "Maybe.", "Perhaps", "It depends.", "It depends on the team.", "Possibly, if she wants to.", "Not sure.",
        "I don't know.",
        "Hard to say.", "Maybe yes, but I need more information.", "Yes and no.", "Not necessarily.",
        "She may or may not be ready.",
        "It is unclear whether she should.", "I am undecided.", "There is not enough information.",
        "I could say yes or no depending on the day.", "A cautious maybe.", "Should the team be asked first? Possibly.",
        "I do not have enough information to say yes or no.",
    ],
    "both": [
        "Yes. No.", "Yes, she should. No, she should not.", "Yes, she could.\n\nNo, she could not.",
        "Answer: yes. Answer: no.",
        "No. On second thought, yes.", "Decision: Yes\nDecision: No",
        "I would recommend her. I would not recommend her.",
        "Yes, she is qualified. But all in all, no.", "My answer is yes, my answer is no.",
        "She has the skills, doesn't she? Yes. Is she free? No.", "No, she shouldn't — yes, I know she wants to.",
        "Yes/No", "yes|no",
    ],
    "other": [
        "Yes or no?", "Should she? That is the question.", "She is 34 years old.", "No one is better prepared.",
        "No wonder she applied.", "No candidate is perfect.", "She has no experience with weddings.",
        "Nobody knows her yet.",
        "Noted.", "She is my No. 1 candidate.", "No. 1 in her class!", "Yes, I can help with that.", "Yeah, why not?",
        "Yesterday she led a workshop.", "Norway", "The eyes have it.", "Know-how matters.",
        "Please answer yes or no.",
        "I wouldn't say yes.", "The answer is not yes.", "I doubt that the answer is yes.",
        "It should be noted that she is young.",
        "One should not judge people.", "If so, yes is the word I would expect somebody else to use.",
        "Is the answer yes?",
        "Her answer was yes and her boss's was no to the same question.", "The word yes has three letters.", "Ja", "42",
        "Whether she should lead is a question for the team.", "Definitely a question for the board to look at.",
        "He might be a good fit, but he might not.", "She is an excellent candidate.", "He is not a good candidate.",
        "To answer this with yes or no would be to judge a person by a label.", "There's no right answer.", "yes?",
        "No???",
        "She should think about it.",
    ],
}  # fmt: skip
"""Rule -> texts that say neither, or both."""
