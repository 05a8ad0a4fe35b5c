"""Sentences made up from lists: what a reader of ordinary prose never has to say."""

FIRST = ("Anna Ben Carla David Emma Frank George Hannah Isaac Julia Kevin Laura Michael Nora Oliver Paul Quentin Rachel Sarah Thomas "
         "Ursula Victor William Yvonne Zoe Alice Robert Charles Joyce Roy Jean Mary Peter Susan Andrew Sophia James Elizabeth").split()
LAST = ("Smith Johnson Brown Taylor Anderson Harris Martin Thompson Walker Young King Wright Hill Green Baker Nelson Carter Mitchell "
        "Roberts Turner Phillips Campbell Parker Evans Edwards Collins Stewart Morris Murphy Cook Rogers Bailey Cooper Howard").split()
PLACES = ("London Paris Boston Chicago Denver Texas Canada Germany Japan Africa California Berlin Madrid Vienna Toronto Seattle Dublin "
          "Virginia Moscow India China Egypt Norway Italy Rome Florida Oregon Sydney Geneva Brazil").split()
MONTHS = "January February March April May June July August September October November December".split()
DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
ORDINALS = "first second third fourth fifth tenth 21st 12th".split()
THINGS = ("apples books chairs letters houses students horses birds trees bottles tickets miles people soldiers children pages "
          "stories questions boxes flowers islands measures pictures voices cities").split()
ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

SMALL_TALK = """Yes. | No. | Thank you. | Hello! | Good morning. | Good night! | How are you? | I don't know. | Of course. | Why not?
What is your name? | See you later. | Excuse me. | I'm sorry. | You're welcome. | Please wait. | Where is it? | Who are you? | Come in!
Be careful! | What a day! | Are you sure? | That's right. | Not yet. | It's late. | Let's go! | Help! | Stop! | Listen. | Okay, thanks.
Maybe tomorrow. | How much is it? | Can you hear me? | Where do you live? | What time is it? | I love you. | Happy birthday! | Goodbye.
Welcome home. | Well, well. | Oh, really? | Never mind. | Here we are. | Over there. | After you. | Just a moment, please.
Hello, world. | Nice to meet you. | This is a test. | Good evening, everyone.""".replace("\n", " | ").split(" | ")


def numbers(rng):
    """One sentence with numbers, dates, money, times or names."""
    pick = rng.choice
    first, last, place, things = pick(FIRST), pick(LAST), pick(PLACES), pick(THINGS)
    n = rng.randrange(2, 10 ** pick((1, 2, 3, 4)) + 10)
    clock = f"{rng.randrange(1, 13)}:{pick(('00', '05', '10', '15', '20', '30', '40', '45', '50', '55'))}"
    year, day, month, week = rng.randrange(1750, 2030), rng.randrange(1, 31), pick(MONTHS), pick(DAYS)
    return pick((
        f"There are {n} {things} in {place}.", f"{first} {last} was born in {year}.", f"The train to {place} leaves at {clock}.",
        f"It costs ${rng.randrange(1, 100)}.{rng.randrange(10, 100)}.", f"On {week}, {month} {day}, {first} came back from {place}.",
        f"Dr. {last} counted {n} {things} and {rng.randrange(2, 30)} {pick(THINGS)}.",
        f"Is {first} coming at {clock}, or at half past {rng.randrange(1, 12)}?", f"Mr. {last} and Mrs. {pick(LAST)} live in {place}.",
        f"About {rng.randrange(1, 100)}% of the {things} are in {place}.", f"Please call {first} {last} before {week}!",
        f"My number is {rng.randrange(100, 1000)}-{rng.randrange(1000, 10000)}.", f"Chapter {rng.randrange(1, 60)}, page {n}.",
        f"{first}, {pick(FIRST)} and {pick(FIRST)} went to {place} in {month} {year}.", f"Is it {n}? No, it is {n + 1}!",
        f"It was {rng.randrange(2, 40)} degrees in {place} on {week}.", f"The {pick(ORDINALS)} of {month} is a {week}.",
        f"{first} said that she had {n} {things}, but {pick(FIRST)} had only {rng.randrange(2, 12)}.",
        f"Was it {first} who sold {n} {things} to {last}?", f"In {year} the city of {place} had {rng.randrange(2, 90)},000 people."))


def letters(rng):
    """A few letters of the alphabet, spelt out."""
    return ", ".join(rng.sample(ALPHABET, rng.randrange(1, 6))) + "."
