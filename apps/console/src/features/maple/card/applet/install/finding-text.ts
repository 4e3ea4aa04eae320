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
    const {
      step = '',
      status = '',
      name = '',
      reason = '',
      counter = '',
      count = '',
      packages = '',
      format = '',
    } = params
    const texts: Record<FindingCode, string> = {
      not_released: t`The applet is not released; until then only software cards accept it.`,
      revoked: t`The applet is revoked.`,
      element_terminated: t`The card is terminated and accepts no commands.`,
      element_locked: t`The card is locked. Unlock it first.`,
      element_blocked: t`The keys did not match the card, so the element stays blocked until somebody clears the block.`,
      no_keys: t`The element’s keys are unknown, so no secure channel can be opened.`,
      no_route: t`No reader currently has the element, and it is not a software card.`,
      session_busy: t`Another session is using the element.`,
      import_missing: t`The card lacks the imported package ${aid} ${wanted}.`,
      import_old: t`The card has version ${found} of the package ${aid}; the applet imports ${wanted}.`,
      imports_unknown: t`The card does not list its preloaded packages, so the imports could not be checked.`,
      import_unlisted: t`The card does not list the imported package ${aid} ${wanted}; it is missing, unless it is in the card’s ROM.`,
      cause_imports: t`Likely cause: the card lacks an imported package, or has an older version of it: ${packages}.`,
      cause_rom: t`Likely cause: the AID ${aid} belongs to a package in the card’s ROM, which the card does not list.`,
      cause_memory: t`Likely cause: too little memory. The package alone needs ${needed} bytes.`,
      cause_integers: t`Possible cause: the package uses int, which not all cards support.`,
      cause_format: t`Possible cause: CAP files of format ${format} need Java Card 3.1 or later.`,
      cause_install: t`Likely cause: install() of the applet failed, often for its parameters, its privileges, its AID or too little memory.`,
      cap_unlinkable: t`A card cannot link this package: ${reason}`,
      cap_errors: t`Verification found errors in the package (${count}). Cards hardly verify code, so it may be installed and then fail.`,
      never_read: t`The card was never read, so its contents are unknown.`,
      memory_short: t`The package needs ${needed} bytes; ${free} are free.`,
      memory_unknown: t`The remaining memory is unknown.`,
      aid_taken: t`The AID ${aid} is already in use on the card.`,
      same_version: t`The card already has version ${version} of the package; its missing applets are installed.`,
      other_version: t`The card has version ${found} of the package. An upgrade replaces it with ${version}.`,
      not_installed: t`The applet is not on the card.`,
      in_use: t`Something else on the card depends on ${aid}.`,
      data_lost: t`The instance ${aid} is deleted with all its data.`,
      is_domain: t`The instance ${aid} is a security domain, and its keys would be deleted too. Delete it on the page of the element first.`,
      card_refused: t`The card refused the step “${step}” with ${status} (${name}).`,
      left_loaded: t`The package stays loaded without its applets; uninstalling removes it.`,
      no_answer: t`The card’s answer was inconclusive. The card was read again, and the operation continued from its actual state.`,
      wrong_keys: t`The keys did not match the card. The element is blocked, and there will be no further attempts.`,
      token_missing: t`The security domain ${aid} needs a token for each command, and there is none for these.`,
      domain_missing: t`The card has no security domain ${aid}.`,
      domain_unable: t`The security domain ${aid} may not manage the contents of the card.`,
      receipt_valid: t`The card’s receipt ${counter} for ${aid} is valid.`,
      receipt_wrong: t`The card’s receipt for ${aid} does not match its key for receipts. The card did something else, or it has another key.`,
      receipt_unchecked: t`The card made a receipt for ${aid}. Grove has no key to verify it.`,
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
