"""Search: a query is parsed once, answered from `index.db`, fused, and disclosed a little at a time. It only reads."""
