/// The past state that a call returns to.
protocol RestorationContent: AnyObject, Sendable {}
