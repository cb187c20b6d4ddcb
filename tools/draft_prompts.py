"""Prompt templates for training and judging the draft: kinds of text, templates and topics.

Training and held-out templates share no sentence and no topic, so that the
held-out acceptance says how the draft does on requests it has never seen.
"""

from __future__ import annotations

import random

TRAIN_TOPICS = """the sea; a lost dog; winter; a bakery; trains; the moon; a school garden; honey bees; old books;
football; a rainy day; robots; mountains; a birthday party; bread; the solar system; a lighthouse; cats; music;
cooking rice; healthy breakfasts; volcanoes; a new neighbour; a job interview; saving money; rivers; dinosaurs;
photosynthesis; the water cycle; gravity; electricity; the Roman Empire; chess; painting; a camping trip; penguins;
the human heart; sleep; learning a language; a broken bicycle; a delayed flight; a wedding; a library card; coffee;
tomatoes; recycling; exercise; social media; climate change; a small town; a dragon; a time machine; a secret door;
an old clock; a brave girl; a lonely robot; friendship; courage; forgiveness; vaccines; the internet; computers;
a startup; email; meetings; a customer complaint; a hotel booking; a broken laptop; a pay rise; moving house; tea;
databases; sorting; prime numbers; fractions; triangles; probability; averages; the alphabet; colours; seasons;
spring flowers; the desert; whales; sharks; eagles; horses; elephants; ants; forests; islands; Paris; Japan; Brazil;
the Olympics; swimming; dancing; guitar; poetry; a museum; theatre; photography; gardening; knitting; pizza; soup""".replace("\n", " ").split("; ")

HELD_OUT_TOPICS = """a lantern; the tram; autumn leaves; a ferry; goldfish; magnets; a violin; the harvest; bridges;
a market stall; owls; glaciers; a pen friend; sandcastles; a windmill; mushrooms; a lost umbrella; comets; a puppet;
the metro; porridge; tides; a night shift; kites; an apple orchard; hedgehogs; a telescope; pottery""".replace("\n", " ").split("; ")

CODE_TASKS = """adds two numbers; reverses a string; checks if a number is prime; counts the vowels in a string;
computes the factorial of n; returns the largest number in a list; sorts a list of numbers; removes duplicates from a
list; checks whether a string is a palindrome; computes the Fibonacci sequence; merges two dictionaries; reads a file
line by line; converts Celsius to Fahrenheit; counts the words in a text; finds the average of a list; squares every
number in a list; returns the even numbers of a list; computes the sum of the digits of a number; finds the index of an
item in a list; joins a list of strings with commas; prints a multiplication table; swaps two variables; computes the
area of a circle; generates a random password; flattens a nested list; counts how often each letter appears; finds the
smallest number in a list; computes the power of a number; checks if a year is a leap year; converts a list to a
string; zips two lists into a dictionary; prints the numbers from 1 to 10; validates an email address; computes the
greatest common divisor""".replace("\n", " ").split("; ")

HELD_OUT_CODE = """prints a triangle of stars; finds the median of three numbers; capitalises each word; computes the
length of the longest word; returns the last element of a list; counts the negative numbers in a list; computes the
least common multiple; checks if two words are anagrams; computes the distance between two points; splits a list
in two halves""".replace("\n", " ").split("; ")

TRAIN_TEMPLATES: dict[str, list[str]] = {
    "chat": [
        "What can you tell me about {t}?", "I am thinking about {t}. Any advice?", "Why do people like {t}?",
        "Tell me something interesting about {t}.", "How do I get started with {t}?", "Hi! Can we talk about {t}?",
        "What should I know before I write about {t}?", "Is there anything surprising about {t}?",
    ],
    "code": [
        "Write a Python function that {c}.", "Write a function in Python which {c}. Add a docstring.",
        "Show me Python code that {c}, with an example.", "Write a JavaScript function that {c}.",
        "Please write a short Python program that {c}.", "Implement a function that {c}. Explain it briefly.",
    ],
    "json": [
        "Describe {t} as a JSON object with five fields.", "Return a JSON list of three items about {t}.",
        "Make a JSON record for {t} with name, description and tags.", "Write a JSON configuration file for an app about {t}.",
    ],
    "letter": [
        "Write a short letter to a friend about {t}.", "Write a formal email about {t}.",
        "Write an email to my boss about {t}.", "Write a letter of apology concerning {t}.",
        "Draft a thank-you note that mentions {t}.",
    ],
    "story": [
        "Write a short story about {t}.", "Tell me a bedtime story about {t}.", "Begin a story about {t}.",
        "Write the first paragraph of a novel about {t}.", "Tell a funny story about {t}.",
    ],
    "poem": ["Write a poem about {t}.", "Write four lines of verse about {t}.", "Write a haiku about {t}.", "Write a rhyming poem on {t}."],
    "list": [
        "List five facts about {t}.", "Give me ten ideas for {t}.", "What are the main steps of {t}? Use a numbered list.",
        "Make a checklist for {t}.", "Name three advantages and three disadvantages of {t}.",
    ],
    "explain": [
        "Explain {t} to a child.", "Explain how {t} works.", "Why is {t} important?", "Summarise what is known about {t} in one paragraph.",
        "What is the history of {t}?", "Define {t} in simple words.", "Compare {t} with something similar.",
    ],
    "translate": [
        "Translate into French: I would like to know more about {t}.", "Translate into Spanish: My favourite subject is {t}.",
        "How do you say '{t}' in German?",
    ],
    "repeat": [
        "Repeat this sentence three times: I often think about {t}.", "Write the sentence 'We all enjoy {t}.' five times.",
        "Rewrite this more politely: Tell me about {t} now.", "Correct the grammar: Me and him was talking of {t} yesterday.",
    ],
}

HELD_OUT_TEMPLATES: dict[str, list[str]] = {
    "chat": ["My sister asked me about {t} and I had no answer. What would you say?", "Do you have an opinion on {t}?"],
    "code": ["I need a Python helper which {c}. Can you write it?", "Give me a small Python snippet that {c}."],
    "json": ["Give me valid JSON that models {t}, with an id, a title and a list of properties."],
    "letter": ["Compose a polite message to my landlord regarding {t}.", "I have to invite a colleague to an evening about {t}. Write the invitation."],
    "story": ["Make up a tale in which {t} plays the main part.", "Once there was somebody who dreamed of {t}. Continue this tale."],
    "poem": ["Compose some verses in praise of {t}."],
    "list": ["Which seven things would you put on a poster about {t}?"],
    "explain": ["Could you give me a beginner's introduction to {t}?", "How would a teacher describe {t} in class?"],
}

PLAIN_STARTS = [
    "The {t}", "Once upon a time, {t}", "In this article we look at {t}.", "# {t}\n\n", "def ", "Dear Sir or Madam,\n\n",
    "It was a cold morning and {t}", "{{\n  \"name\": \"{t}\",", "The history of {t} begins", "Chapter 1\n\n",
    "Question: What is {t}?\nAnswer:", "the cat sat on the", "import ", "Today I learned that {t}",
]


def sample_prompt(rng: random.Random, held_out: bool = False) -> tuple[str, str]:
    """One (kind, user message), drawn evenly over the kinds."""
    templates = HELD_OUT_TEMPLATES if held_out else TRAIN_TEMPLATES
    topics, tasks = (HELD_OUT_TOPICS, HELD_OUT_CODE) if held_out else (TRAIN_TOPICS, CODE_TASKS)
    kinds = list(templates)
    weights = [1.0] * len(kinds) if held_out else [2.5 if k == "code" else 0.6 if k in ("translate", "repeat") else 1.0 for k in kinds]
    kind = rng.choices(kinds, weights)[0]
    return kind, rng.choice(templates[kind]).format(t=rng.choice(topics), c=rng.choice(tasks))


def sample_plain_start(rng: random.Random) -> str:
    """The beginning of a text outside any chat."""
    return rng.choice(PLAIN_STARTS).format(t=rng.choice(TRAIN_TOPICS))
