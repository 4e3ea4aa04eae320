/** The outcome of a run on one element. */
export const templateTargetStates = [
  'waiting',
  'running',
  'succeeded',
  /** Nothing was sent. */
  'refused',
  'failed',
  /** A command got no definite answer: nothing was repeated or undone. */
  'unknown',
  'cancelled',
] as const
export type TemplateTargetState = (typeof templateTargetStates)[number]

export const stepStates = ['succeeded', 'failed', 'unknown'] as const
export type StepState = (typeof stepStates)[number]

/** Why a step failed, or why nothing was sent. */
export const causeCodes = [
  /** The card answered with another status word. */
  'status_word',
  /** The reply lacks the expected content. */
  'reply_differs',
  'no_channel',
  /** The person who started it may not send raw bytes. */
  'no_raw',
  'bad_value',
  'no_answer',
  'channel_refused',
  'wrong_keys',
  'no_keys',
  'no_route',
  'session_busy',
  'session_ended',
  'element_blocked',
  'element_terminated',
  'element_gone',
  'applet_gone',
  'applet_revoked',
  'applet_not_released',
  /** A security domain needs tokens that nobody made or approved. */
  'token_missing',
  /** A security domain cannot manage contents. */
  'domain_unable',
  /** The run differs from what was approved. */
  'plan_changed',
  /** The template was deprecated before the run was approved. */
  'template_deprecated',
  /** A token for INSTALL [for load] without a hash of the load file would be valid for any file. */
  'load_unsigned',
  'unexpected',
] as const
export type CauseCode = (typeof causeCodes)[number]

export const receiptCodes = ['receipt_valid', 'receipt_wrong', 'receipt_unchecked'] as const
export type ReceiptCode = (typeof receiptCodes)[number]
