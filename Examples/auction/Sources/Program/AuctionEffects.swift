import AuctionModel
import Reactive
import StateModel

/// The clock of the auction: it ends each lot at its time. After a restart it goes on from the state.
struct AuctionEffects: Effects {
    let clock: Effect

    init(_ auction: AuctionState, _ outside: Outside) {
        clock = Effect(each: auction.ends) { lot, ends in
            ends.flatMapLatest { end in
                Observable<Int>.timer(max(.zero, end - outside.now), on: outside.scheduler)
                    .flatMap { _ in outside.perform("end", LotEnd(lot: lot, end: end)) }
            }
        }
    }
}
