import type { SecureElement } from '@grove/contract/maple/fleet/element'
import { isOpenRotation } from '@grove/contract/maple/card/key.rules'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { LockKeyholeOpen, OctagonX } from 'lucide-react'
import { useEffect } from 'react'
import { api } from '../../../../../session/api.ts'
import { useConfirmed } from '../../../../../ui/dialog/use-confirmed.ts'
import { DateText } from '../../../../../ui/i18n/date-text.tsx'
import { useMismatchText } from '../../mismatch-text.ts'
import { useEnded } from '../../../base/use-ended.ts'
import { elements } from '../element.api.ts'
import { keysQuery, refreshKeys } from './key.api.ts'
import styles from './key.module.css'

/** Why keys did not fit, which keys the card probably has, and a deliberate way to retry. */
export function BlockedNotice({ element: { cplc, state } }: { element: SecureElement }) {
  const { t } = useLingui()
  const mismatchText = useMismatchText()
  const unblock = useUnblock(cplc)
  const { data } = useQuery(keysQuery(cplc))
  const mismatch = data?.mismatch
  // What a job or a session has found out arrives with the keys first.
  const isBlocked = data ? data.isBlocked : state === 'blocked'
  useEffect(() => {
    if (isBlocked !== (state === 'blocked')) void elements.refresh()
  }, [isBlocked, state])
  // Its outcome is in the timeline, and the element says where its keys are.
  const rotations = data && (data.rotation ? [data.rotation] : [])
  useEnded(rotations, ({ step }) => isOpenRotation(step), elements.refresh)
  if (!isBlocked && !mismatch) return null
  const found = mismatch && mismatchText(mismatch)
  return (
    <div className={styles.notice} data-kind="bad">
      <OctagonX size={16} aria-hidden />
      <div>
        <p>
          <strong>
            <Trans>The keys did not match the card.</Trans>
          </strong>{' '}
          {mismatch && <DateText value={mismatch.at} isRelative />}
        </p>
        {found && (
          <p>
            {found.text} {found.next}
          </p>
        )}
        {isBlocked ? (
          <>
            <p>
              <Trans>
                The element is blocked: a card counts failed attempts, and permanently locks its
                keys after a few. A software card with other keys on purpose can be repaired on its
                own page.
              </Trans>
            </p>
            <p>
              <button type="button" className="button" onClick={() => void unblock()}>
                <LockKeyholeOpen size={16} aria-hidden />
                {t`Clear the block…`}
              </button>
            </p>
          </>
        ) : (
          <p className="muted">
            <Trans>The block is cleared. This message disappears once the keys match.</Trans>
          </p>
        )}
      </div>
    </div>
  )
}

function useUnblock(cplc: string) {
  const { t } = useLingui()
  const confirmed = useConfirmed()
  return () =>
    confirmed({
      question: {
        title: t`Clear the block?`,
        text: (
          <>
            <p>
              <Trans>Do this when the cause is found and the right keys are imported.</Trans>
            </p>
            <p>
              <Trans>
                The next session tries Grove’s keys once. If they are wrong again, the card counts
                another failed attempt, and the element is blocked again.
              </Trans>
            </p>
          </>
        ),
        action: t`Clear the block`,
        isDanger: true,
      },
      change: () => api.maple.post('/api/maple/se/unblock', { body: { cplc } }),
      done: () => t`The block is cleared.`,
      refresh: refreshKeys,
    })
}
