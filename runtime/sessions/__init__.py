"""What an agent remembers between its turns: appended at a known revision, or not at all."""
