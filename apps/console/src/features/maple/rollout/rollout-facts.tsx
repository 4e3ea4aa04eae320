import type { Rollout } from '@grove/contract/maple/rollout/rollout'
import { plural } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Person } from '../../../people/person.tsx'
import { DateText } from '../../../ui/i18n/date-text.tsx'
import { Link } from '../../../ui/link/link.tsx'
import { Section } from '../../../ui/page/section.tsx'
import { PanelFacts } from '../../../ui/panel/panel-facts.tsx'
import { useDeviceWords } from '../fleet/device-words.ts'
import { groupQuery } from '../fleet/group.api.ts'
import { useCauseText } from './page.labels.tsx'
import { productQuery, retriesQuery } from './rollout.api.ts'
import { RolloutStateBadge } from './rollout.labels.tsx'
import styles from './rollout.module.css'

/** The rollout's settings: for which devices, when, how fast. */
export function RolloutFacts({ rollout }: { rollout: Rollout }) {
  const { t, i18n } = useLingui()
  const { program, targets, plan, rollsBack, retries, createdAt, startedAt, endedAt } = rollout
  const causeText = useCauseText()
  const { data: later } = useQuery({
    ...retriesQuery(rollout.id),
    enabled: rollout.rights.retry === null,
  })
  const { window, perMinute, atOnce, runMinutes, startHours, startsAt } = plan
  const facts: (readonly [string, ReactNode])[] = []
  if (rollsBack !== null)
    facts.push([
      t`Undoes`,
      <Link
        key="origin"
        to="/dashboard/maple/rollouts/$id"
        params={{ id: rollsBack }}
        preload={false}
      >
        <Trans>The previous rollout</Trans>
      </Link>,
    ])
  if (retries !== null)
    facts.push([
      t`Retry of`,
      retries.name === null ? (
        t`a deleted rollout`
      ) : (
        <Link
          key="retried"
          to="/dashboard/maple/rollouts/$id"
          params={{ id: retries.id }}
          preload={false}
        >
          <bdi>{retries.name}</bdi>
        </Link>
      ),
    ])
  for (const [name, value] of Object.entries(program.input))
    if (program.kind !== 'applet' && value !== '')
      facts.push([name, <bdi key={name}>{String(value)}</bdi>])
  const { domain } = program.input
  if (program.kind === 'applet' && typeof domain === 'string')
    facts.push([t`Security domain`, <code key="domain">{domain}</code>])
  facts.push([t`For`, <Targets key="targets" rollout={rollout} />])
  if (typeof retries?.cause === 'string') facts.push([t`Cause`, causeText(retries.cause)])
  const { groupId, productId } = targets.filter ?? {}
  if (groupId !== undefined) facts.push([t`Group`, <GroupLink key="group" id={groupId} />])
  if (productId !== undefined)
    facts.push([t`Product`, <ProductLink key="product" id={productId} />])
  if (targets.joinUntil)
    facts.push([t`Devices can join until`, <DateText key="join" value={targets.joinUntil} />])
  if (startsAt !== null) facts.push([t`Starts`, <DateText key="starts" value={startsAt} />])
  facts.push([
    t`Hours`,
    window ? t`${window.from} to ${window.to}, ${window.zone} or the device’s time zone` : t`any`,
  ])
  facts.push([
    t`Pace`,
    perMinute === null
      ? t`${atOnce} at once`
      : t`${atOnce} at once, ${i18n.number(perMinute)} a minute`,
  ])
  facts.push([
    t`Time limit per device`,
    t`${plural(runMinutes, { one: '# minute', other: '# minutes' })}`,
  ])
  facts.push([
    t`Waits for offline devices`,
    t`${plural(startHours, { one: '# hour', other: '# hours' })}`,
  ])
  facts.push([t`Created`, <DateText key="created" value={createdAt} />])
  facts.push([t`Created by`, <Person key="by" id={rollout.createdBy} isCopyable />])
  if (startedAt !== null) facts.push([t`Started`, <DateText key="started" value={startedAt} />])
  if (endedAt !== null) facts.push([t`Ended`, <DateText key="ended" value={endedAt} />])
  if (later?.items.length) facts.push([t`Retried in`, <Retries key="later" all={later.items} />])
  return (
    <Section title={t`Effect`}>
      <PanelFacts facts={facts} />
    </Section>
  )
}

function Targets({ rollout }: { rollout: Rollout }) {
  const { t, i18n } = useLingui()
  const { type, state } = useDeviceWords()
  const { targets, retries, rollsBack } = rollout
  const { filter, devices } = targets
  if (retries !== null)
    return retries.name === null
      ? t`Devices that failed there`
      : t`Devices that failed there (${i18n.number(retries.count)}), except those reached since`
  if (rollsBack !== null) return t`Devices where it succeeded`
  if (!filter)
    return t`${plural(devices?.length ?? 0, { one: '# chosen device', other: '# chosen devices' })}`
  const { productId, groupId, ...others } = filter
  const words: Record<string, string> = { ...type, ...state }
  const terms = Object.entries(others).map(([name, value]) => {
    if (name === 'tag' || name === 'attribute') return value
    if (name !== 'type' && name !== 'state') return `${name}=${value}`
    const all = value.split(',').map((each) => words[each] ?? each)
    return all.join(', ')
  })
  if (terms.length === 0 && groupId !== undefined) return t`Every device of the group`
  if (terms.length === 0 && productId !== undefined) return t`Every device of the product`
  return terms.length === 0 ? t`Every device` : <bdi>{terms.join(' · ')}</bdi>
}

function Retries({ all }: { all: readonly Rollout[] }) {
  return (
    <ul className={styles.retries}>
      {all.map(({ id, name, state }) => (
        <li key={id}>
          <Link to="/dashboard/maple/rollouts/$id" params={{ id }} preload={false}>
            <bdi>{name}</bdi>
          </Link>
          <RolloutStateBadge state={state} />
        </li>
      ))}
    </ul>
  )
}

function GroupLink({ id }: { id: string }) {
  const { t } = useLingui()
  const { data } = useQuery(groupQuery(id))
  const name = data ? data.items[0]?.name : '…'
  return name === undefined ? (
    t`a group that was deleted`
  ) : (
    <Link to="/dashboard/maple/groups" search={{ group: id }} preload={false}>
      <bdi>{name}</bdi>
    </Link>
  )
}

function ProductLink({ id }: { id: string }) {
  const { data } = useQuery(productQuery(id))
  return (
    <Link to="/dashboard/maple/products/$id" params={{ id }} preload={false}>
      <bdi>{data?.items[0]?.name ?? '…'}</bdi>
    </Link>
  )
}
