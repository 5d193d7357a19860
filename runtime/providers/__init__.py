"""Payment providers: what is asked of them, what they answer, and what that means."""
