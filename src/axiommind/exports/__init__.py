"""Taking a home elsewhere: events, texts and the tables of the index, in formats that other programs read.

Reads one consistent view, cuts every table into parts that are named by what is in them, and writes the parts that are
not there yet. It never reads what it wrote before, and never replaces what it did not write.
"""
