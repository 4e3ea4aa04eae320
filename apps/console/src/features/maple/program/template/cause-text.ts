import type { TemplateCause } from '@grove/contract/maple/program/template'
import type { CauseCode } from '@grove/contract/maple/program/template-run.rules'
import { statusWord } from '@grove/secure-element/status-word'
import { useLingui } from '@lingui/react/macro'
import { termText } from '../../base/decode/meaning-text.ts'

/** Why a step failed, in the reader's language. */
export function useCauseText() {
  const { t, i18n } = useLingui()
  return ({ code, params, message }: TemplateCause): string => {
    const { status = '', expected = '', field = '', reason = '', applet = '' } = params
    const { name: term, value } = statusWord(Number.parseInt(status || '9000', 16))
    const name = i18n._(termText(`status.${term}`, value))
    const texts: Record<CauseCode, string> = {
      status_word: t`The card answered ${status} (${name}); the step expects ${expected}.`,
      reply_differs: t`The reply does not have ${expected}.`,
      no_channel: t`No secure channel is open. Open one in a step before.`,
      bad_value: t`The value of ${field} cannot be used.`,
      no_answer: t`The card gave no certain answer, so nobody knows whether it ran the command. Nothing was repeated or taken back.`,
      channel_refused: t`The secure channel could not be opened: ${reason}`,
      wrong_keys: t`The keys did not match the card. It is blocked, and nothing tries again.`,
      no_keys: t`No keys of the element are known, so no secure channel can be opened.`,
      no_route: t`No reader and no connected device has the element now.`,
      session_busy: t`Another session has the element now.`,
      session_ended: t`Somebody ended the session.`,
      element_blocked: t`The keys did not match the card, so the element is blocked until somebody clears it.`,
      element_terminated: t`The card is terminated and takes no commands.`,
      element_gone: t`There is no such element any more.`,
      applet_gone: t`The applet of a step is gone.`,
      applet_revoked: t`The applet ${applet} is revoked.`,
      applet_not_released: t`The applet ${applet} is not released; only software cards take it before.`,
      unexpected: t`The step failed: ${reason}`,
    }
    return (texts as Partial<Record<string, string>>)[code] ?? message
  }
}
