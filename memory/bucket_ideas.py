"""Parts that profiles commonly have, of which those are suggested that memories would be in."""

from __future__ import annotations

from collections.abc import Mapping

# Worded as descriptions of buckets are: of the user, with the words that such memories have.
IDEAS: Mapping[str, str] = {
    "work": "The user's job, employer, role, colleagues and career.",
    "projects": "Projects that are being built or planned, with their deadlines and state.",
    "technology": "Programming languages, tools, software, servers and hardware in use.",
    "family": "Family members and partner: wife, husband, children, parents, brothers and sisters.",
    "friends": "Friends, acquaintances and what is arranged with them.",
    "home": "Where the user lives: city, house, flat, garden and household.",
    "health": "Health, illnesses, allergies, medicine, doctors and sleep.",
    "food": "Food and drink: meals, diet, recipes, restaurants and favourites.",
    "sport": "Sports, exercise, running, cycling and training.",
    "hobbies": "Hobbies: music, books, films, games, crafts and collections.",
    "travel": "Travel: trips, flights, hotels and places visited or planned.",
    "money": "Money: salary, budget, purchases, prices, contracts and insurance.",
    "learning": "Studies, courses, languages and skills that are being learned.",
    "preferences": "What the user prefers, likes and dislikes, and how answers should be given.",
    "pets": "Pets and other animals: dog, cat, their names and care.",
    "goals": "Goals, plans and wishes for the time to come.",
}
# As many as a person chooses among.
MOST_SUGGESTED = 6
