"""Converts Tacotron 2 checkpoints of many projects into tacod's voice file (models/FORMAT.md)."""
