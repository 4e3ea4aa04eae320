import type { SecureElement } from '@grove/contract/maple/fleet/element'
import { icSerial } from '@grove/secure-element/cplc'
import { Trans, useLingui } from '@lingui/react/macro'
import { api } from '../../../../../session/api.ts'
import { useConfirmed } from '../../../../../ui/dialog/use-confirmed.ts'
import { elements } from '../element.api.ts'
import styles from '../element.page.module.css'

/**
 * Asks to terminate a card: the serial number of its chip must be typed, and a second person
 * approves.
 */
export function useTermination({ cplc, revision }: SecureElement) {
  const { t } = useLingui()
  const confirmed = useConfirmed()
  return () =>
    confirmed({
      question: {
        title: t`Terminate the card permanently?`,
        text: (
          <ul className={styles.consequences}>
            <li>
              <Trans>This cannot be undone, not even by the card’s manufacturer.</Trans>
            </li>
            <li>
              <Trans>Its applets, keys and domains can never be used again.</Trans>
            </li>
            <li>
              <Trans>
                Another person with the right to approve must agree. Nothing is sent to the card
                until then.
              </Trans>
            </li>
          </ul>
        ),
        action: t`Request approval`,
        isDanger: true,
        typeToConfirm: icSerial(cplc),
      },
      change: () =>
        api.maple.post('/api/maple/se/card/terminate', {
          body: { cplc, confirm: cplc },
          ifMatch: revision,
        }),
      done: () => t`Requested. Waiting for another person’s approval.`,
      refresh: elements.refresh,
    })
}

/** Why a card cannot be terminated; undefined if it can. */
export function useTerminationRefusal({ rights, approvals }: SecureElement): string | undefined {
  const { t } = useLingui()
  if (rights.terminate === 'element_terminated') return t`The card is already terminated.`
  if (rights.terminate === 'element_blocked')
    return t`Keys did not fit the card, so nothing is sent to it until the block is cleared.`
  return approvals.some(({ action }) => action === 'element.terminate')
    ? t`Termination was requested, and is waiting for approval.`
    : undefined
}
