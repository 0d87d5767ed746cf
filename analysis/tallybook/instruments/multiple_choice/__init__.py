"""Multiple choice: which of a question's options a response chooses."""
