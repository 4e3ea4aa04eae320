import type { AppletFinding } from '@grove/contract/maple/card/applet-operation'
import type { FindingCode } from '@grove/contract/maple/card/applet-operation.rules'
import { mismatchOf } from '@grove/contract/maple/card/key.rules'
import { useLingui } from '@lingui/react/macro'
import { useMismatchText } from '../../mismatch-text.ts'

/** Findings in the reader's language. */
export function useFindingText() {
  const { t } = useLingui()
  const mismatchText = useMismatchText()
  return ({ code, params, message }: AppletFinding): string => {
    const { aid = '', wanted = '', found = '', version = '', needed = '', free = '' } = params
    const { step = '', status = '', name = '', reason = '' } = params
    const texts: Record<FindingCode, string> = {
      not_released: t`The applet is not released; only software cards take it before.`,
      revoked: t`The applet is revoked.`,
      element_terminated: t`The card is terminated and takes no commands.`,
      element_locked: t`The card is locked. Unlock it first.`,
      element_blocked: t`The keys did not match the card, so the element is blocked until somebody clears it.`,
      no_keys: t`No keys of the element are known, so no secure channel can be opened.`,
      no_route: t`No reader has the element now, and it is no software card.`,
      session_busy: t`Another session has the element now.`,
      import_missing: t`The card lacks the imported package ${aid} ${wanted}.`,
      import_old: t`The card has version ${found} of the package ${aid}; the applet imports ${wanted}.`,
      imports_unknown: t`The card does not list the packages that it was made with, so the imports could not be compared.`,
      never_read: t`The card was never read, so what is on it is not known.`,
      memory_short: t`The package needs ${needed} bytes; ${free} are free.`,
      memory_unknown: t`How much memory will be free is not known.`,
      aid_taken: t`Something else on the card has the AID ${aid}.`,
      same_version: t`The card has version ${version} of the package already; applets that it lacks are installed.`,
      other_version: t`The card has version ${found} of the package. An upgrade replaces it by ${version}.`,
      not_installed: t`The applet is not on the card.`,
      in_use: t`Something else on the card needs ${aid}.`,
      data_lost: t`The instance ${aid} is deleted with all its data.`,
      is_domain: t`The instance ${aid} is a security domain, and its keys would be deleted too. Delete it on the page of the element first.`,
      card_refused: t`The card refused the step “${step}” with ${status} (${name}).`,
      left_loaded: t`The package stays loaded without its applets; uninstalling removes it.`,
      no_answer: t`The card gave no certain answer. It was read again, and the operation continued from what is on it.`,
      wrong_keys: t`The keys did not match the card. The element is blocked, and nothing tries again.`,
      unexpected: t`The operation failed: ${reason}`,
    }
    const mismatch = code === 'wrong_keys' ? mismatchOf(params) : undefined
    if (mismatch) {
      const { text, next } = mismatchText(mismatch)
      return `${texts.wrong_keys} ${text} ${next}`
    }
    return (texts as Partial<Record<string, string>>)[code] ?? message
  }
}
