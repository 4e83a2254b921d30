/// HTTP.
public enum HTTP {}
