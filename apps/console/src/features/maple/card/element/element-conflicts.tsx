import type { SecureElement } from '@grove/contract/maple/fleet/element'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { TriangleAlert } from 'lucide-react'
import { api } from '../../../../session/api.ts'
import { useConfirmed } from '../../../../ui/dialog/use-confirmed.ts'
import { Link } from '../../../../ui/link/link.tsx'
import { elements } from './element.api.ts'
import styles from './element-conflicts.module.css'

/** Other elements with the same chip id: one chip personalised again, or two chips that clash. */
export function ElementConflicts({ element }: { element: SecureElement }) {
  const { t } = useLingui()
  const confirmed = useConfirmed()
  const { cplc, conflicts } = element
  if (conflicts.length === 0) return null
  const replace = (former: string) =>
    confirmed({
      question: {
        title: t`Is it the same chip, personalised again?`,
        text: t`The CPLC of this element takes the place of ${former}: its device, profile, domains and history come here, and the old CPLC stays as history. This cannot be undone.`,
        action: t`Take its place`,
        isDanger: true,
      },
      change: () => api.maple.post('/api/maple/se/element', { body: { cplc, replaces: former } }),
      done: () => t`The old CPLC is history now.`,
      refresh: elements.refresh,
    })
  return (
    <section className={styles.conflicts} aria-label={t`Conflict`}>
      <h2>
        <TriangleAlert size={16} aria-hidden />
        <Plural
          value={conflicts.length}
          one="Another element has the same chip id"
          other="# other elements have the same chip id"
        />
      </h2>
      <p>
        <Trans>
          Either the chip was personalised again and has a new CPLC, or two chips carry one id.
          Compare them; if it is one chip, let the newer CPLC take the place of the older.
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
              <Trans>Take its place…</Trans>
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}
