import type { Device } from '@grove/contract/maple/fleet/device'
import type { MapleAbout } from '@grove/contract/maple/about'
import { useLingui } from '@lingui/react/macro'
import type { ComponentType } from 'react'
import { Link } from '../../../ui/link/link.tsx'
import { Section } from '../../../ui/page/section.tsx'
import styles from './overview.module.css'

type Type = Device['type']
type State = Device['state']

/** Labels and badges of types and states, as on the Devices page. */
export interface DeviceWords {
  types: readonly { value: Type; label: string }[]
  states: readonly { value: State; label: string }[]
  StateBadge: ComponentType<{ state: State }>
}

interface DeviceGroupsProps {
  groups: MapleAbout['devices']['groups']
  words: DeviceWords
}

/** Devices by state and type, with totals of both. */
export function DeviceGroups({ groups, words }: DeviceGroupsProps) {
  const { i18n, t } = useLingui()
  const { types, states, StateBadge } = words
  const sumOf = (type?: Type, state?: State) =>
    groups
      .filter((group) => (type ?? group.type) === group.type)
      .filter((group) => (state ?? group.state) === group.state)
      .reduce((sum, { count }) => sum + count, 0)
  const all = sumOf()

  const cell = (
    type: (typeof types)[number] | undefined,
    state: (typeof states)[number] | undefined,
  ) => {
    const count = sumOf(type?.value, state?.value)
    const names = [state?.label, type?.label].filter((name) => name !== undefined).join(', ')
    return (
      <td key={type?.value ?? 'all'}>
        <Link
          to="/dashboard/maple/devices"
          search={{
            ...(type && { type: [type.value] }),
            ...(state && { state: [state.value] }),
          }}
          prefetch="none"
          data-empty={count === 0 || undefined}
        >
          {i18n.number(count)}
          <span className="visually-hidden"> {names || t`All devices`}</span>
        </Link>
      </td>
    )
  }

  return (
    <Section title={t`Devices by state and type`}>
      <table className={styles.groups}>
        <thead>
          <tr>
            <th scope="col">{t`State`}</th>
            {types.map(({ value, label }) => (
              <th key={value} scope="col">
                {label}
              </th>
            ))}
            <th scope="col">{t`All types`}</th>
          </tr>
        </thead>
        <tbody>
          {states.map((state) => (
            <tr key={state.value}>
              <th scope="row">
                <StateBadge state={state.value} />
                <progress
                  className={styles.share}
                  aria-hidden
                  value={sumOf(undefined, state.value)}
                  max={Math.max(all, 1)}
                />
              </th>
              {types.map((type) => cell(type, state))}
              {cell(undefined, state)}
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">{t`All states`}</th>
            {types.map((type) => cell(type, undefined))}
            {cell(undefined, undefined)}
          </tr>
        </tfoot>
      </table>
    </Section>
  )
}
