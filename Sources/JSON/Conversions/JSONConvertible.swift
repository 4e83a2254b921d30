/// A type that reads and writes JSON.
public typealias JSONConvertible = JSONReadable & JSONWritable
