"""The usual names of columns in dumps, by role: in English, German, French, Spanish, Italian, Portuguese and Chinese.

The English names are those that evaluation tools and model APIs write; the others are those that scripts and
questionnaires in these languages give to questions, answers, models and repetitions. All are compared in lower case and
without accents, with underscores between words.
"""

from __future__ import annotations

import re

from tallybook.sources.values import NO_NUMBERS

NAMES: dict[str, tuple[str, ...]] = {
    "text": (
        "text", "response", "answer", "output", "completion", "generated_text", "generation", "reply", "resp",
        "generated", "model_response", "response_text", "raw_response", "llm_response", "model_output", "prediction",
        "content", "message", "actual_output", "raw", "raw_output", "raw_text", "verbatim", "utterance", "ranking",
        "answers", "responses", "replies", "outputs", "completions", "generations", "got", "said",
        "antwort", "antworttext", "modellantwort", "ausgabe", "erwiderung",
        "reponse", "reponse_modele", "texte", "sortie",
        "respuesta", "respuesta_modelo", "texto", "salida",
        "risposta", "testo", "uscita",
        "resposta", "saida",
        "回答", "答案", "回复", "输出",
    ),
    "prompt": (
        "prompt", "question", "input", "instruction", "query", "messages", "prompt_text", "sentence", "context",
        "scenario", "vignette", "stimulus", "statement", "passage", "q", "ask", "asked",
        "frage", "fragestellung", "eingabe", "anweisung", "aufforderung", "satz",
        "consigne", "invite", "requete", "entree", "phrase",
        "pregunta", "consulta", "instruccion", "indicacion", "entrada", "frase",
        "domanda", "quesito", "richiesta", "istruzione",
        "pergunta", "instrucao",
        "提示", "提示词", "问题", "题目",
    ),
    "model": (
        "model", "model_name", "llm", "engine", "model_id", "modelname", "deployment", "system", "lm", "encoder",
        "generator", "chatbot",
        "modell", "modellname", "sprachmodell", "ki_modell", "ki",
        "modele", "nom_modele", "nom_du_modele", "ia",
        "modelo", "nombre_modelo", "nombre_del_modelo",
        "modello", "nome_modello", "nome_del_modello",
        "模型", "模型名称",
    ),
    "item": (
        "item", "item_id", "prompt_id", "question_id", "qid", "custom_id", "doc_id", "task_id", "case_id", "id",
        "pair_id", "sentence_id", "example_id", "q_id", "idx", "uid", "item_no", "question_no", "statement_no",
        "statement_id", "scenario_id", "vignette_id", "stimulus_id", "pair", "pair_no", "case", "case_no", "entry",
        "entry_id", "record_id", "story_id", "stimulus_no", "template_id", "template_no", "index", "nr", "no",
        "number", "persona_id",
        "frage_id", "fragen_id", "fragenid", "fragennummer", "frage_nr", "aufgabe_id", "fall_id",
        "id_question", "numero_question", "id_consigne", "id_cas",
        "id_pregunta", "numero_pregunta", "id_consulta", "id_caso",
        "id_domanda", "numero_domanda", "id_caso",
        "编号", "题号",
    ),
    "sample": (
        "sample", "sample_id", "run", "repetition", "rep", "repeat", "iteration", "iter", "trial", "epoch",
        "replicate", "attempt", "try", "round", "run_id", "n", "draw", "seed",
        "wiederholung", "wdh", "durchlauf", "durchgang", "versuch", "lauf", "runde",
        "repetition", "essai", "passage", "tirage",
        "repeticion", "intento", "iteracion", "pasada", "ejecucion", "ronda",
        "ripetizione", "tentativo", "iterazione", "esecuzione", "prova",
        "repeticao", "ensaio", "tentativa", "iteracao", "execucao", "rodada", "轮次",
    ),
    "status": (
        "status", "refused", "is_refused", "refusal", "is_refusal", "declined",
    ),
}  # fmt: skip
"""The names of columns by role, more likely names first."""

BOOKKEEPING = re.compile(
    r"(^|_)(id|uuid|hash|index|error|reasons?|created|timestamp|tstamp|ts|time|date|latency|duration|elapsed|rt|rts|ms|reaction_time|response_time|tokens?|cost|price|seed"
    r"|temperature|logprobs?|usage|version|revision|fingerprint|url"
    r"|datum|dauer|uhrzeit|zeitstempel|kosten|fehler|temperatur|startwert"
    r"|duree|horodatage|cout|erreur|jetons|graine"
    r"|fecha|hora|duracion|tiempo|costo|coste|semilla|temperatura"
    r"|durata|costi?|errore|seme|ipaddress)(_|$)|^(target|top_p|top_logprobs|max_tokens|progress|finished|user_language|distribution_channel"
    r"|is_demo|is_bot|visited|payoff|current_app_name|current_page_name|inference_service|system_fingerprint|service_tier|order)$"
)
"""The names of columns about how a response was obtained, not about what was asked or answered."""

ATTEMPTS = re.compile(
    r"((n|nr|no|num|number)_)?(of_)?(attempts?|retr(y|ies)|tr(y|ies)|versuche?|intentos?|essais?|tentativ[aeo]s?)(_(id|n|nr|no|num|number|idx|index|count))?"
)
"""The names of columns of how often a request was sent until it was answered, where others number repetitions."""
SETTINGS = re.compile(
    r"(^|_)(temperatur[ea]?|temp|top_[pk]|min_p|max(_\w+)?_tokens|(frequency|presence|repetition)_penalty|(reasoning_)?effort"
    r"|verbosity|(thinking|reasoning)(_(budget|mode|level))?|(system|sys)_prompt(_(id|nr|no|name|version))?"
    r"|prompt_(version|variant|style)|num_beams)$"
)
"""The names of settings with which models generate, and of versions of what all prompts share."""
NUMBERING = re.compile(
    r"(^|_)(no|nr|num|number|idx|index|uid|id|respondents?|participants?|teilnehmer|probanden?|unnamed_\d+)$|^(level_\d+|index_level_\d+)?$"
)
"""The names of columns that number records or questions, and are not factors."""
QUANTITIES = re.compile(
    r"(^|_)(age|years?|months|experience|yoe|income|salary|wage|gpa|hours|children|distance|amount|price|alter|jahre"
    r"|erfahrung|gehalt|einkommen|annees|salaire|revenu|edad|anos|experiencia|salario|eta|anni|stipendio)(_|$)"
)
"""The names of quantities that are varied in what is asked."""
ANSWERING = {"assistant", "gpt", "model", "ai", "bot", "chatgpt"}
"""The roles in which a model writes messages."""
INDEX = re.compile(r"^(unnamed_\d+|level_\d+|index_level_\d+|row|row_number|index|column_1|rownames)?$")
"""The names of index columns that programs add to the tables that they write."""

LABELS = re.compile(
    r"(^|_)(label|winner|code|coded|detected|predicted|annotat(?:or|ion)_?\d*|choice|chosen|decision|verdict|stance|sentiment|outcome|judge?ment|answer|extracted|parsed"
    r"|pick|selected|flagged"
    r"|auswahl|wahl|entscheidung|urteil|kodierung|kodiert"
    r"|choix|jugement|codage|etiquette"
    r"|eleccion|juicio|codigo|etiqueta|veredicto"
    r"|scelta|decisione|giudizio|codifica|etichetta)(_|$)|^(category|class|polarity)$"
)
"""The names of columns of answers that are coded already."""

SCORES = re.compile(
    r"(^|_)(scores?|ratings?|likert|toxicity|probability|polarity|subjectivity|bias|similarity|scale"
    r"|acc|accuracy|exact_match|f1"
    r"|bewertung|wertung|punktzahl|punkte|skala|toxizitaet|toxizitat|wahrscheinlichkeit"
    r"|note|notation|echelle|toxicite|probabilite"
    r"|puntuacion|calificacion|valoracion|puntaje|escala|toxicidad|probabilidad"
    r"|punteggio|valutazione|scala|tossicita|probabilita)(_|$)"
)
"""The names of columns of numbers that are answers or measurements."""

RATINGS = re.compile(
    r"(^|_)(rating|rank|rang|rango|likert|agreement|dv|dependent|salary|offer|amount|estimate|wage|price|probability|gehalt|lohn|betrag|preis|sueldo|salario|precio|salaire|prix|montant|stipendio|prezzo|bewertung|wertung|note|notation|calificacion|valoracion|voto|valutazione)(_|$)"
)
"""The names of columns of ratings or amounts, which are numeric answers."""

MODEL = re.compile(
    r"(?<![a-z])(chat-?gpt|gpt-?\d*|claude|opus|sonnet|haiku|llama|alpaca|vicuna|mi[sx]tral|gemini|gemma|palm|bard|qwen|falcon"
    r"|phi|deepseek|command|flan|bloom|olmo|grok|davinci|zephyr|openchat|koala|opt|gpt-?neo|gpt-?j|pythia|mpt|nemotron|kimi|ernie|(?:chat)?glm|nova|titan|yi|(?:text|chat)-bison|granite|jamba|dbrx|solar|internlm|baichuan|aya|exaone|hunyuan|doubao|ministral|(?:distil|al)?bert|roberta|o[134])(?![a-z])",
    re.IGNORECASE,
)
"""The names of models."""

NOTHING = ("", "-", "--", "n/a", ".", "?", *NO_NUMBERS)
"""The texts that stand for missing answers, which say nothing about the instrument."""
