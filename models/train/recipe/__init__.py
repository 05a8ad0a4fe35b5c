"""How the voice slt was made: sentences, the teacher's speech, features, training, measures."""
