import type { SecurityDomain } from '@grove/contract/maple/card/domain'
import { aidMeaning } from '@grove/secure-element/aid'
import { useLingui } from '@lingui/react/macro'
import { meaningText } from '../../../base/decode/meaning-text.ts'
import { termLabels } from '../../../base/decode/term.labels.ts'
import styles from './domain-tree.module.css'

/** Security domains as a tree, each with its state and privileges in words. */
export const DomainTree = ({ domains }: { domains: readonly SecurityDomain[] }) => (
  <Branch domains={domains} parent={null} />
)

function Branch({
  domains,
  parent,
}: {
  domains: readonly SecurityDomain[]
  parent: string | null
}) {
  const { t } = useLingui()
  const children = domains.filter((domain) => domain.parent === parent)
  if (children.length === 0) return null
  return (
    <ul
      className={styles.branch}
      {...(parent === null && { 'aria-label': t`Tree of security domains` })}
    >
      {children.map((domain) => (
        <li key={domain.aid}>
          <DomainLine domain={domain} />
          <Branch domains={domains} parent={domain.aid} />
        </li>
      ))}
    </ul>
  )
}

export function DomainLine({
  domain: { aid, parent, state, privileges },
}: {
  domain: SecurityDomain
}) {
  const { i18n, t } = useLingui()
  const meaning = aidMeaning(aid)
  const others = privileges.filter((privilege) => privilege !== 'securityDomain')
  return (
    <div className={styles.domain}>
      <p>
        <code className={styles.aid}>{aid}</code>{' '}
        <span className="muted">
          {parent === null
            ? t`issuer security domain`
            : meaning
              ? meaningText(meaning, i18n)
              : t`supplementary security domain`}
        </span>
      </p>
      <p>{i18n._(termLabels[`state.${state}`])}</p>
      <p className="muted">
        {others.length === 0
          ? t`No further privileges`
          : others.map((privilege) => i18n._(termLabels[`privilege.${privilege}`])).join(', ')}
      </p>
    </div>
  )
}
