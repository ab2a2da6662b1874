"""What answers cost: prices of models by the token, by day, and the SQL function that asks for them.

`table.py` reads the price list that comes with the program (`prices.json`, made by `make prices`), `package.py` makes
the same of an installed `genai-prices`, which goes before it, and `dollars.py` answers SQL. Dollars are never stored:
another price list is another answer, at once. Nothing here is imported until dollars are asked for.
"""
