import Glibc

/// A stack of the size of a program's main thread.
enum Stack {
    /// The sanitizers enlarge every stack frame.
    private static let megabytes =
        ["__asan_init", "__tsan_init"].contains { (name: String) in dlsym(nil, name) != nil } ? 64 : 8

    /// Returns the result of `body`, run on a thread of its own with such a stack.
    static func run<Result: Sendable>(_ body: @escaping @Sendable () -> Result) -> Result? {
        var result: Result?
        let errand = Errand { result = body() }
        var attributes = pthread_attr_t(), thread = pthread_t()
        pthread_attr_init(&attributes)
        pthread_attr_setstacksize(&attributes, megabytes << 20)
        let fault = pthread_create(
            &thread, &attributes,
            { errand in
                guard let errand else { return nil }
                Unmanaged<Errand>.fromOpaque(errand).takeUnretainedValue().run()
                return nil
            }, Unmanaged.passUnretained(errand).toOpaque())
        precondition(fault == 0, "no thread could be had")
        pthread_join(thread, nil)
        return result
    }

    /// The work of the thread.
    private final class Errand {
        let run: () -> Void
        init(_ run: @escaping () -> Void) { self.run = run }
    }
}
