"""What every server of ours does before it answers: where it listens, whom it lets in, and how long it waits."""
