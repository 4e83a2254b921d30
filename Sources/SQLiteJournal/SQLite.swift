/// The journal on the system's SQLite.
public enum SQLite {}
