/// Somebody's watch of some views of a space: they are told the values of all, then, for each moment in which some of them changed, those. It
/// ends when it is cancelled or released.
public final class Watch {
    /// What is told: views that changed, by name, all as of one moment.
    public typealias News = [(view: String, frame: Frame)]

    private let receive: (Result<News, Refusal>) -> Void
    private var cells: [Cell] = []
    private var news: News = []
    private var hasBegun = false
    private var isCancelled = false

    init(_ receive: @escaping (Result<News, Refusal>) -> Void) {
        self.receive = receive
    }

    deinit {
        cancel()
    }

    /// Ends it.
    public func cancel() {
        guard !isCancelled else { return }
        isCancelled = true
        for cell in cells { cell.remove(self) }
        cells = []
    }

    func attach(to cells: [Cell]) {
        guard !isCancelled else { return }
        self.cells = cells
        for cell in cells { cell.add(self) }
    }

    /// Tells all values, as they are shown.
    func begin() {
        guard !isCancelled else { return }
        hasBegun = true
        news = []
        receive(.success(cells.compactMap { cell in cell.shown.map { (cell.name, $0) } }))
    }

    func fail(_ refusal: Refusal) {
        guard !isCancelled else { return }
        cancel()
        receive(.failure(refusal))
    }

    /// Notes a new value; whether it is the first to be noted since those before were told.
    func note(_ cell: Cell, _ frame: Frame) -> Bool {
        guard hasBegun, !isCancelled else { return false }
        news.removeAll { $0.view == cell.name }
        news.append((cell.name, frame))
        return news.count == 1
    }

    /// Tells what was noted.
    func tell() {
        guard !news.isEmpty, !isCancelled else { return }
        let news = news
        self.news = []
        receive(.success(news))
    }
}
