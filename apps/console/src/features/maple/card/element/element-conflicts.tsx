import type { SecureElement } from '@grove/contract/maple/fleet/element'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { TriangleAlert } from 'lucide-react'
import { api } from '../../../../session/api.ts'
import { useConfirmed } from '../../../../ui/dialog/use-confirmed.ts'
import { Link } from '../../../../ui/link/link.tsx'
import { elements } from './element.api.ts'
import styles from './element-conflicts.module.css'

/** Other elements with the same chip ID: one chip personalised again, or two chips that clash. */
export function ElementConflicts({ element }: { element: SecureElement }) {
  const { t } = useLingui()
  const confirmed = useConfirmed()
  const { cplc, conflicts } = element
  if (conflicts.length === 0) return null
  const replace = (former: string) =>
    confirmed({
      question: {
        title: t`Is it the same chip, personalised again?`,
        text: t`The CPLC of this element replaces ${former}: its device, profile, domains and history move here, and the old CPLC stays in the history. This cannot be undone.`,
        action: t`Replace it`,
        isDanger: true,
      },
      change: () => api.maple.post('/api/maple/se/element', { body: { cplc, replaces: former } }),
      done: () => t`The old CPLC is now in the history.`,
      refresh: elements.refresh,
    })
  return (
    <section className={styles.conflicts} aria-label={t`Conflict`}>
      <h2>
        <TriangleAlert size={16} aria-hidden />
        <Plural
          value={conflicts.length}
          one="Another element has the same chip ID"
          other="# other elements have the same chip ID"
        />
      </h2>
      <p>
        <Trans>
          Either the chip was personalised again and has a new CPLC, or two chips have the same ID.
          Compare them; if it is one chip, replace the old CPLC with the new one.
        </Trans>
      </p>
      <ul>
        {conflicts.map((other) => (
          <li key={other}>
            <Link
              to="/dashboard/maple/secure_elements/$cplc"
              params={{ cplc: other }}
              preload={false}
            >
              <code>{other}</code>
            </Link>
            <button type="button" className="button small" onClick={() => void replace(other)}>
              <Trans>Replace it…</Trans>
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}
