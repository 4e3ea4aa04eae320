import type { StepReceipt, TemplateCause } from '@grove/contract/maple/program/template'
import type { CauseCode, ReceiptCode } from '@grove/contract/maple/program/template-run.rules'
import { TemplateValueError } from '@grove/contract/maple/program/template-parameter.rules'
import { CommandError } from '@grove/secure-element/host/command-error'
import { statusWord } from '@grove/secure-element/status-word'
import { ProblemError } from '../../../../core/http/problem.ts'
import type { Proof } from '../../card/purpose-key/delegation.ts'
import { SessionError } from '../../card/session/session-error.ts'

type Params = Record<string, string>

const texts: Record<CauseCode, (params: Params) => string> = {
  status_word: ({ status, name, expected }) =>
    `The card answered ${status} ${name}; the step expects ${expected}.`,
  reply_differs: ({ expected }) => `The reply does not contain ${expected}.`,
  no_channel: () => 'No secure channel is open. Open one in an earlier step.',
  no_raw: () =>
    'The template sends raw bytes, and whoever started it does not have the right to send them.',
  bad_value: ({ field, problem }) => `The value of ${field} cannot be used: ${problem}.`,
  no_answer: () =>
    'The card gave no definite answer, so it is unknown whether it ran the command. Nothing was repeated or undone.',
  channel_refused: ({ reason }) => `The secure channel could not be opened: ${reason}`,
  wrong_keys: () =>
    'The keys did not match the card. It is blocked, and there will be no further attempts.',
  no_keys: () => 'The element’s keys are unknown, so no secure channel can be opened.',
  no_route: () => 'No reader and no connected device currently has the element.',
  session_busy: () => 'Another session is using the element.',
  session_ended: () => 'The session was ended.',
  element_blocked: () =>
    'The keys did not match the card, so the element is blocked until somebody clears it.',
  element_terminated: () => 'The card is terminated and accepts no commands.',
  element_gone: () => 'This element no longer exists.',
  applet_gone: ({ applet }) => `There is no applet ${applet}.`,
  applet_revoked: ({ applet }) => `The applet ${applet} is revoked.`,
  applet_not_released: ({ applet }) =>
    `The applet ${applet} is not released; until then only software cards accept it.`,
  token_missing: ({ aid }) =>
    `The domain ${aid} needs a token for each command, and there is none for these.`,
  domain_unable: ({ aid }) => `The domain ${aid} cannot manage the contents of the card.`,
  plan_changed: () =>
    'What runs is not what was approved, so nothing is signed or sent. Start it again.',
  template_deprecated: () =>
    'The template was deprecated before the run was approved, so nothing was signed or sent.',
  load_unsigned: () =>
    'Grove signs INSTALL [for load] only with a hash of the load file, which this step lacks. Install the applet with its own step instead.',
  unexpected: ({ reason }) => `The step failed: ${reason}`,
}

/** Why a step failed: its parameters are the values in the text. */
export const causeOf = (code: CauseCode, params: Params = {}): TemplateCause => ({
  code,
  message: texts[code](params),
  params,
})

const receiptTexts: Record<ReceiptCode, (params: Params) => string> = {
  receipt_valid: ({ aid, counter }) => `The card’s receipt ${counter} for ${aid} is valid.`,
  receipt_wrong: ({ aid }) =>
    `The card’s receipt for ${aid} does not fit its key for receipts: the card did something else, or has another key.`,
  receipt_unchecked: ({ aid }) =>
    `The card made a receipt for ${aid}, which no key that Grove has can verify.`,
}

/** What a card's receipt proves about a step. */
export const receiptOf = (step: number, { code, params }: Proof): StepReceipt => ({
  step,
  code,
  message: receiptTexts[code](params),
  params,
})

/** A step that did not have its intended effect. */
export class StepError extends Error {
  override readonly name = 'StepError'
  readonly reason: TemplateCause
  /** Whether the card ran the command is unknown. */
  readonly isUncertain: boolean

  constructor(reason: TemplateCause, isUncertain = false) {
    super(reason.message)
    this.reason = reason
    this.isUncertain = isUncertain
  }
}

/** Session codes after which the card's state is unknown. */
const uncertain = new Set<string>(['transport_failed', 'power_lost', 'channel_broken', 'internal'])

const ofProblems: Partial<Record<string, CauseCode>> = {
  lease_held: 'session_busy',
  transport_missing: 'no_route',
  key_missing: 'no_keys',
  element_blocked: 'element_blocked',
  element_terminated: 'element_terminated',
  not_found: 'element_gone',
}

const ofSessions: Partial<Record<string, CauseCode>> = {
  wrong_keys: 'wrong_keys',
  element_blocked: 'element_blocked',
  session_ended: 'session_ended',
  lease_lost: 'session_ended',
}

/** The meaning of an error for the person who runs the steps. Platform errors are thrown. */
export function stepErrorOf(error: unknown): StepError {
  if (error instanceof StepError) return error
  if (error instanceof TemplateValueError)
    return new StepError(causeOf('bad_value', { field: error.field, problem: error.code }))
  if (error instanceof CommandError) {
    const { statusWord: word, message } = error
    return new StepError(
      word === undefined ? causeOf('unexpected', { reason: message }) : refusedWith(word, ['9000']),
    )
  }
  const reason = error instanceof Error ? error.message : ''
  if (error instanceof ProblemError)
    return new StepError(causeOf(ofProblems[error.code] ?? 'unexpected', { reason }))
  if (!(error instanceof SessionError)) throw error
  if (uncertain.has(error.code)) return new StepError(causeOf('no_answer', { reason }), true)
  return new StepError(causeOf(ofSessions[error.code] ?? 'channel_refused', { reason }))
}

export function refusedWith(word: number, expected: readonly string[]): TemplateCause {
  const { code: status, name } = statusWord(word)
  return causeOf('status_word', { status, name, expected: expected.join(', ') })
}
