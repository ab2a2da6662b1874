"""The real clients, whole turns of them, offline: `make test-clients`."""
