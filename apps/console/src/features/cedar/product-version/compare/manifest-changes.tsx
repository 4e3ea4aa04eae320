import type { Difference } from '@grove/contract/cedar/difference'
import { Trans, useLingui } from '@lingui/react/macro'
import { Section } from '../../../../ui/page/section.tsx'
import styles from './compare.page.module.css'

/** Changes in the permissions an app requests; nothing if they are the same. */
export function PermissionChanges({ permissions }: Pick<Difference, 'permissions'>) {
  const { t } = useLingui()
  const { added, removed } = permissions
  if (added.length + removed.length === 0) return null
  const lines = [
    ...added.map((one) => ({ ...one, kind: 'added', sign: '+', word: t`Newly requested` })),
    ...removed.map((one) => ({ ...one, kind: 'removed', sign: '−', word: t`No longer requested` })),
  ]
  return (
    <Section title={t`Permissions`} description={t`People are asked again for new permissions.`}>
      <ul className={styles.values}>
        {lines.map(({ kind, sign, word, name, isRequired }) => (
          <li key={`${kind} ${name}`}>
            <span className={styles.word} data-kind={kind}>
              <span aria-hidden>{sign}</span> {word}:
            </span>{' '}
            <code>
              <bdi>{name}</bdi>
            </code>{' '}
            {!isRequired && (
              <span className="muted">
                <Trans context="of a permission">(optional)</Trans>
              </span>
            )}
          </li>
        ))}
      </ul>
    </Section>
  )
}

export function ManifestChanges({ changes }: { changes: Difference['manifest'] }) {
  const { t } = useLingui()
  if (changes.length === 0) return null
  return (
    <Section title={t`Manifest`}>
      <ul className={styles.values}>
        {changes.map(({ path, before, after }) => (
          <li key={path}>
            <code>
              <bdi>{path}</bdi>
            </code>
            : <Value json={before} /> → <Value json={after} />
          </li>
        ))}
      </ul>
    </Section>
  )
}

function Value({ json }: { json: string | null }) {
  const { t } = useLingui()
  if (json === null)
    return <span className="muted">{t({ message: 'none', context: 'a value' })}</span>
  return (
    <code>
      <bdi>{json}</bdi>
    </code>
  )
}
