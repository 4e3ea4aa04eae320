import type { DomainPlan, DomainRefusal, SecurityDomain } from '@grove/contract/maple/card/domain'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { CirclePlus, OctagonX, Pencil, Trash2, type LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { termLabels } from '../../../base/decode/term.labels.ts'
import styles from './change-domains.module.css'
import { DomainLine } from './domain-tree.tsx'

/** What a list would add, change and remove, or why it is refused. */
export function PlanView({ plan }: { plan: DomainPlan }) {
  const { added, changed, removed, refusals } = plan
  if (refusals.length > 0)
    return (
      <div className={styles.plan}>
        <Group icon={OctagonX} title={<Trans>The plan is refused</Trans>}>
          {refusals.map((refusal) => (
            <li key={`${refusal.aid} ${refusal.code} ${refusal.message}`}>
              <Refusal refusal={refusal} />
            </li>
          ))}
        </Group>
      </div>
    )
  if (added.length + changed.length + removed.length === 0)
    return (
      <p>
        <Trans>The element already has exactly these domains.</Trans>
      </p>
    )
  return (
    <div className={styles.plan}>
      {added.length > 0 && (
        <Group
          icon={CirclePlus}
          title={<Plural value={added.length} one="Adds # domain" other="Adds # domains" />}
        >
          {added.map((domain) => (
            <li key={domain.aid}>
              <DomainLine domain={domain} />
            </li>
          ))}
        </Group>
      )}
      {changed.length > 0 && (
        <Group
          icon={Pencil}
          title={<Plural value={changed.length} one="Changes # domain" other="Changes # domains" />}
        >
          {changed.map(({ before, after }) => (
            <li key={after.aid}>
              <Change before={before} after={after} />
            </li>
          ))}
        </Group>
      )}
      {removed.length > 0 && (
        <Group
          icon={Trash2}
          title={<Plural value={removed.length} one="Removes # domain" other="Removes # domains" />}
        >
          {removed.map((domain) => (
            <li key={domain.aid}>
              <DomainLine domain={domain} />
            </li>
          ))}
        </Group>
      )}
    </div>
  )
}

interface GroupProps {
  icon: LucideIcon
  title: ReactNode
  children: ReactNode
}

const Group = ({ icon: Icon, title, children }: GroupProps) => (
  <>
    <h3>
      <Icon size={16} aria-hidden />
      {title}
    </h3>
    <ul>{children}</ul>
  </>
)

function Change({ before, after }: { before: SecurityDomain; after: SecurityDomain }) {
  const { i18n, t } = useLingui()
  const words = (names: SecurityDomain['privileges']) =>
    names.map((name) => i18n._(termLabels[`privilege.${name}`])).join(', ')
  const pairs: [label: string, was: string, is: string][] = [
    [
      t`State`,
      i18n._(termLabels[`state.${before.state}`]),
      i18n._(termLabels[`state.${after.state}`]),
    ],
    [t`Parent`, before.parent ?? '–', after.parent ?? '–'],
    [t`Privileges`, words(before.privileges), words(after.privileges)],
  ]
  return (
    <>
      <code>{after.aid}</code>
      <dl>
        {pairs
          .filter(([, was, is]) => was !== is)
          .map(([label, was, is]) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd>
                <del>{was}</del> → <ins>{is}</ins>
              </dd>
            </div>
          ))}
      </dl>
    </>
  )
}

function Refusal({ refusal: { aid, code, params } }: { refusal: DomainRefusal }) {
  const { i18n, t } = useLingui()
  const term = (kind: 'privilege' | 'state', name = '') =>
    i18n._(termLabels[`${kind}.${name}` as keyof typeof termLabels])
  const { issuer = '', parent = '', owner = '' } = params
  const texts: Record<DomainRefusal['code'], () => string> = {
    duplicate: () => t`${aid} is in the list twice.`,
    tooMany: () => t`An element cannot have this many domains.`,
    issuerMissing: () => t`There is no issuer security domain: exactly one domain has no parent.`,
    secondIssuer: () =>
      t`A card has one issuer security domain, ${issuer}. Choose a parent for ${aid}.`,
    issuerRemoved: () => t`The issuer security domain ${aid} cannot be deleted.`,
    unknownParent: () => t`The parent of ${aid}, ${parent}, is missing.`,
    cycle: () => t`${aid} is its own ancestor.`,
    needsPrivilege: () => {
      const [privilege, other] = [
        term('privilege', params['privilege']),
        term('privilege', params['other']),
      ]
      return t`${aid}: the privilege “${privilege}” needs “${other}”.`
    },
    excludesPrivilege: () => {
      const [privilege, other] = [
        term('privilege', params['privilege']),
        term('privilege', params['other']),
      ]
      return t`${aid} cannot have both “${privilege}” and “${other}”.`
    },
    privilegeTaken: () => {
      const privilege = term('privilege', params['privilege'])
      return t`Only one domain can have “${privilege}”: ${owner} has it, so ${aid} cannot.`
    },
    wrongState: () => {
      const state = term('state', params['state'])
      return t`${aid} cannot be in this state: ${state}. A card and a security domain have different life cycles.`
    },
    stateGoesBack: () => {
      const [from, to] = [term('state', params['from']), term('state', params['to'])]
      return t`${aid} cannot go from “${from}” to “${to}”: a life cycle does not go back.`
    },
    issuerPrivileges: () =>
      t`The privileges of the issuer security domain ${aid} cannot be changed.`,
    terminates: () => t`A card is terminated by its own action, with a second person.`,
    parentLocked: () => t`${aid} cannot move into ${parent}, which is locked.`,
    cardIsLocked: () =>
      t`The card is CARD_LOCKED: it must become SECURED before anything else changes.`,
  }
  return <>{texts[code]()}</>
}
