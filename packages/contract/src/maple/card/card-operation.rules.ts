/** Operations on a card itself, command by command. */
export const cardOperationKinds = ['domains', 'terminate'] as const
export type CardOperationKind = (typeof cardOperationKinds)[number]

/** `stopped`: not everything was done, and `problem` says why. The last three are final. */
export const cardOperationStates = [
  'queued',
  'running',
  'succeeded',
  'stopped',
  'cancelled',
] as const
export type CardOperationState = (typeof cardOperationStates)[number]

/** One command each. */
export const cardStepKinds = [
  'unlock',
  'privileges',
  'install',
  'extradite',
  'makeSelectable',
  'personalize',
  'delete',
  'cardState',
  'lock',
] as const
export type CardStepKind = (typeof cardStepKinds)[number]

/** The outcome of a step. */
export const cardStepStates = [
  /** It was not sent. */
  'waiting',
  /** It is on its way. */
  'sent',
  'done',
  'refused',
  /** It got no answer, and the card shows that it was not done. */
  'lost',
  /** It got no answer, and the card could not be read afterwards. */
  'unknown',
] as const
export type CardStepState = (typeof cardStepStates)[number]

/** Why an operation stopped, or what a person should know about one that did not. */
export const cardProblems = [
  /** The card answered with an error. */
  'card_refused',
  /** A step got no definite answer. */
  'no_answer',
  /** Before the first step: the card has changed since the plan was made. */
  'card_changed',
  /** Every step succeeded, but the card does not match the plan. */
  'not_as_planned',
  'wrong_keys',
  /** The process that ran it was stopped. */
  'interrupted',
  /** The card has the CPLC of another element. */
  'other_card',
  /** There was no session: the message says why. */
  'not_reached',
] as const
export type CardProblemCode = (typeof cardProblems)[number]

/** How many of the latest operations of an element are listed. */
export const listedCardOperations = 10
