/// The part of a watch that what is watched knows of. It does not keep the watch, which ends when nobody else does.
final class Onlooker {
    private let receive: (Result<Watch.News, Refusal>) -> Void
    /// From where it watches: a space or, for the space `common`, the replica of it.
    private unowned var place: (any Place)?
    private var cells: [Cell] = []
    /// What has yet to be told of each cell.
    private var news: [Frame?] = []
    private var hasNews = false
    /// The moment of which the values are that it is told first.
    private var beginning: Moment?
    private var hasBegun = false
    private(set) var isCancelled = false

    /// True if the frames are to have trees.
    let wantsTrees: Bool

    init(wantsTrees: Bool = false, _ receive: @escaping (Result<Watch.News, Refusal>) -> Void) {
        self.wantsTrees = wantsTrees
        self.receive = receive
    }

    /// Begins to watch: the values of this moment are told when it may be shown.
    func attach(to cells: [Cell], in place: any Place) {
        detach()
        guard !isCancelled else { return }
        self.place = place
        self.cells = cells
        place.noteOnlooker(1)
        beginning = place.moment
        for cell in cells { cell.add(self) }
        news = cells.map { $0.current() }
    }

    private func detach() {
        for cell in cells { cell.remove(self) }
        cells = []
        news = []
        place?.noteOnlooker(-1)
        place = nil
    }

    func cancel() {
        guard !isCancelled else { return }
        isCancelled = true
        detach()
    }

    /// Tells the values of the moment at which it began to watch, or later ones that may be shown by now.
    func begin() {
        guard !isCancelled else { return }
        hasBegun = true
        tellNews()
    }

    func fail(_ refusal: Refusal) {
        guard !isCancelled else { return }
        cancel()
        receive(.failure(refusal))
    }

    /// Hears of a value that a cell shows.
    func hear(_ frame: Frame, of cell: Cell) {
        guard let place else { return }
        // What `common` shows is shown here together with what the space derives from it.
        if !cell.isIn(place), !place.isShown {
            place.keepBack(.news(frame, cell, self, place.moment))
        } else {
            note(frame, of: cell, at: place.moment)
        }
    }

    /// Notes a value that may be told.
    func note(_ frame: Frame, of cell: Cell, at moment: Moment) {
        guard let place, !isCancelled else { return }
        if !hasBegun, let beginning, moment <= beginning { return }
        for index in cells.indices where cells[index] === cell { news[index] = frame }
        if hasBegun, !hasNews { place.noteDirty(self) }
        hasNews = true
    }

    /// Tells what was noted.
    func tell() {
        if hasBegun, hasNews, !isCancelled { tellNews() }
    }

    private func tellNews() {
        let told = zip(cells, news).compactMap { cell, frame in frame.map { (view: cell.name, frame: $0) } }
        for index in news.indices { news[index] = nil }
        hasNews = false
        receive(.success(told))
    }
}
