/// An action of a space itself: the return to a past state, an erasure, an edit, several actions in one commit.
package protocol SpaceAction: AnyObject, Sendable {}
