import type { DomainPlan } from '@grove/contract/maple/card/domain'
import type { StoredCardReading } from '@grove/contract/maple/card/element-card'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import type { ReactNode } from 'react'
import { DateText } from '../../../../../ui/i18n/date-text.tsx'
import { Link } from '../../../../../ui/link/link.tsx'
import { PanelFacts } from '../../../../../ui/panel/panel-facts.tsx'
import { Person } from '../../../../../people/person.tsx'
import { ElementStateBadge } from '../element.labels.tsx'
import styles from './card-section.module.css'
import { hexVersion } from '../../hex-version.ts'

/** The card's last reading, and how it differed from Grove's records. */
export function CardReadingView({ reading }: { reading: StoredCardReading }) {
  const { i18n, t } = useLingui()
  const { state, domains, applications, loadFiles, keyVersions, keys, domainKeys, freeMemory } =
    reading
  const differences = countOf(domains.difference)
  const stateText =
    state.before === state.after ? (
      <ElementStateBadge state={state.after} />
    ) : (
      <>
        <ElementStateBadge state={state.before} /> → <ElementStateBadge state={state.after} />
      </>
    )
  const { added, removed } = domains.difference
  const isFirst = added.length === domains.items.length && removed.length === 0
  const domainText =
    differences === 0 ? (
      t`${domains.items.length}, as Grove expected`
    ) : isFirst ? (
      domains.items.length
    ) : (
      <>
        {domains.items.length}:{' '}
        <Plural
          value={differences}
          one="# differed from Grove’s records"
          other="# differed from Grove’s records"
        />{' '}
        ({signsOf(domains.difference).join(', ')})
      </>
    )
  const facts: [name: string, value: ReactNode][] = [
    [t`State`, stateText],
    [t`Security domains`, domainText],
    [
      t`Applets`,
      <Aids key="applets" items={applications.map(({ aid, state: own }) => [aid, own])} />,
    ],
    [
      t`Packages`,
      <Aids key="packages" items={loadFiles.map(({ aid, version }) => [aid, version])} />,
    ],
    [
      t`Keys`,
      keys ? (
        <Keys key="keys" keys={keys} />
      ) : keyVersions ? (
        keyVersions.map(hexVersion).join(', ')
      ) : (
        t`not reported`
      ),
    ],
    ...domainKeys.map(({ domainAid, keys: own }): [string, ReactNode] => [
      t`Keys of ${domainAid}`,
      own.length === 0 ? t`none` : <Keys key={domainAid} keys={own} />,
    ]),
    [t`Free memory`, freeMemory === null ? t`not reported` : t`${i18n.number(freeMemory)} bytes`],
  ]
  return (
    <>
      <p className={`muted ${styles.readBy}`}>
        <Trans>
          Read <DateText value={reading.readAt} isRelative /> by <Person id={reading.readBy} /> in{' '}
          <Link to="/dashboard/maple/sessions/se/$id" params={{ id: reading.sessionId }}>
            a session
          </Link>
          .
        </Trans>
      </p>
      {reading.cardCplc === null && (
        <p>
          <Trans>The card reports no CPLC.</Trans>
        </p>
      )}
      <SinceThen {...reading.sinceThen} />
      <PanelFacts facts={facts} />
    </>
  )
}

/** What Grove has recorded since that reading. */
function SinceThen({ state, domains, isUncertain }: StoredCardReading['sinceThen']) {
  const count = countOf(domains)
  const isChanged = state !== null || count > 0
  if (!isChanged && !isUncertain) return null
  const signs = signsOf(domains).join(', ')
  return (
    <div className={styles.notice}>
      {isUncertain && (
        <div>
          <Trans>
            A command since then got no definite answer, so the card may have changed. Read it
            again.
          </Trans>
        </div>
      )}
      {isChanged && <Trans>Grove’s records have changed since then.</Trans>}
      {state && (
        <div>
          <ElementStateBadge state={state.before} /> → <ElementStateBadge state={state.after} />
        </div>
      )}
      {count > 0 && (
        <div>
          <Plural value={count} one="# domain differs" other="# domains differ" />: {signs}
        </div>
      )}
    </div>
  )
}

type Difference = Pick<DomainPlan, 'added' | 'changed' | 'removed'>

const countOf = ({ added, changed, removed }: Difference) =>
  added.length + changed.length + removed.length

const signsOf = ({ added, changed, removed }: Difference): string[] => [
  ...added.map(({ aid }) => `+ ${aid}`),
  ...changed.map(({ after }) => `≠ ${after.aid}`),
  ...removed.map(({ aid }) => `− ${aid}`),
]

const algorithms: Record<number, string> = { 0x80: 'DES', 0x82: 'DES', 0x88: 'AES' }

function Keys({ keys }: { keys: NonNullable<StoredCardReading['keys']> }) {
  const { t } = useLingui()
  const versions = [...new Set(keys.map(({ version }) => version))].toSorted((a, b) => a - b)
  return versions.map((version) => {
    const own = keys.filter((key) => key.version === version)
    const [component] = own[0]?.components ?? []
    const algorithm = component && (algorithms[component.type] ?? hexVersion(component.type))
    const name = hexVersion(version)
    const ids = own.map(({ id }) => id).join(', ')
    return (
      <div key={version}>
        <code>{name}</code>{' '}
        <span className="muted">
          {component && `${algorithm}-${component.length * 8}, `}
          {t`keys ${ids}`}
        </span>
      </div>
    )
  })
}

function Aids({ items }: { items: readonly (readonly [aid: string, note: string | null])[] }) {
  if (items.length === 0) return <Trans>none</Trans>
  return items.map(([aid, note]) => (
    <div key={aid}>
      <code>{aid}</code> <span className="muted">{note}</span>
    </div>
  ))
}
