import Reactive
import StateStore

/// One poller for each repository that a space follows.
struct ActivityEffects: Effects {
    let poll: Effect

    init(_ activity: ActivityState, _ outside: Outside, _ gitHub: GitHub) {
        poll = Effect(each: activity.sources) { repository, source in
            Poller(of: repository, source, activity.pause, outside, gitHub).rounds
        }
    }
}
