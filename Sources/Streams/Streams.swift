/// Streams as data.
public enum Streams {}
