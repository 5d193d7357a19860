"""Who may do what in the database: the role that owns the tables, and the application's own."""
