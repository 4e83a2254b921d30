/// Sockets.
public enum Sockets {}
