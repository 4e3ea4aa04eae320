import type { StepReceipt, TemplateCause } from '@grove/contract/maple/program/template'
import type { CauseCode, ReceiptCode } from '@grove/contract/maple/program/template-run.rules'
import { statusWord } from '@grove/secure-element/status-word'
import { useLingui } from '@lingui/react/macro'
import { termText } from '../../base/decode/meaning-text.ts'

/** Why a step failed, in the reader's language. */
export function useCauseText() {
  const { t, i18n } = useLingui()
  return ({ code, params, message }: TemplateCause): string => {
    const { status = '', expected = '', field = '', reason = '', applet = '', aid = '' } = params
    const { name: term, value } = statusWord(Number.parseInt(status || '9000', 16))
    const name = i18n._(termText(`status.${term}`, value))
    const texts: Record<CauseCode, string> = {
      status_word: t`The card answered ${status} (${name}); the step expects ${expected}.`,
      reply_differs: t`The reply does not contain ${expected}.`,
      no_channel: t`No secure channel is open. Open one in an earlier step.`,
      no_raw: t`The template sends raw bytes, and whoever started it does not have the right to send them.`,
      bad_value: t`The value of ${field} is invalid.`,
      no_answer: t`The card gave no definite answer, so it is unknown whether it ran the command. Nothing was repeated or undone.`,
      channel_refused: t`The secure channel could not be opened: ${reason}`,
      wrong_keys: t`The keys did not match the card. It is blocked, and there will be no further attempts.`,
      no_keys: t`The element’s keys are unknown, so no secure channel can be opened.`,
      no_route: t`No reader and no connected device currently has the element.`,
      session_busy: t`Another session is using the element.`,
      session_ended: t`The session was ended.`,
      element_blocked: t`The keys did not match the card, so the element stays blocked until somebody clears the block.`,
      element_terminated: t`The card is terminated and accepts no commands.`,
      element_gone: t`This element no longer exists.`,
      applet_gone: t`The applet of a step no longer exists.`,
      applet_revoked: t`The applet ${applet} is revoked.`,
      applet_not_released: t`The applet ${applet} is not released; until then only software cards accept it.`,
      token_missing: t`The security domain ${aid} needs a token for each command, and there is none for these.`,
      domain_unable: t`The security domain ${aid} may not manage the contents of the card.`,
      plan_changed: t`What would run is not what was approved, so nothing was signed or sent. Start it again.`,
      template_deprecated: t`The template was deprecated before the run was approved, so nothing was signed or sent.`,
      load_unsigned: t`Grove signs INSTALL [for load] only with a hash of the load file, which this step lacks. Use the step that installs an applet.`,
      unexpected: t`The step failed: ${reason}`,
    }
    return (texts as Partial<Record<string, string>>)[code] ?? message
  }
}

/** What a card's receipt proves, in the reader's language. */
export function useReceiptText() {
  const { t } = useLingui()
  return ({ code, params, message }: StepReceipt): string => {
    const { aid = '', counter = '' } = params
    const texts: Record<ReceiptCode, string> = {
      receipt_valid: t`The card’s receipt ${counter} for ${aid} is valid.`,
      receipt_wrong: t`The card’s receipt for ${aid} does not match its key for receipts. The card did something else, or it has another key.`,
      receipt_unchecked: t`The card made a receipt for ${aid}. Grove has no key to verify it.`,
    }
    return (texts as Partial<Record<string, string>>)[code] ?? message
  }
}
