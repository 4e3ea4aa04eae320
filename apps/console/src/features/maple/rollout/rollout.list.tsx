import type { Rollout } from '@grove/contract/maple/rollout/rollout'
import { rolloutStates, sumOf } from '@grove/contract/maple/rollout/rollout.rules'
import { plural } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { useNavigate } from '@tanstack/react-router'
import { Plus, UserCheck, Waves } from 'lucide-react'
import { useState } from 'react'
import { onDemand, usePrefetch } from '../../../ui/kit/on-demand.tsx'
import { Link } from '../../../ui/link/link.tsx'
import { PageHeader } from '../../../ui/page/page-header.tsx'
import { momentColumn, stateColumn } from '../../../ui/table/columns.tsx'
import { DataTable } from '../../../ui/table/data-table.tsx'
import { FilterBar } from '../../../ui/table/filter-bar.tsx'
import { optionsOf } from '../../../ui/table/resource-list.tsx'
import type { DataColumn } from '../../../ui/table/types.ts'
import { useAddress } from '../../../ui/table/use-address.ts'
import { useList } from '../../../ui/table/use-list.ts'
import { EmptyState } from '../../../ui/text/empty-state.tsx'
import { ProgressBar } from './progress-bar.tsx'
import { rollouts } from './rollout.api.ts'
import { RolloutStateBadge, useProgramText, useRolloutWords } from './rollout.labels.tsx'
import { rolloutSearch } from './rollout.search.ts'

const RolloutForm = onDemand(
  () => import('./form/rollout.form.tsx').then((file) => file.RolloutForm),
  'maple-rollout',
)

const PolicyDialog = onDemand(
  () => import('./policy-dialog.tsx').then((file) => file.PolicyDialog),
  'maple-rollout',
)

/** The rollouts with their progress, newest first; on top of them the form for a new one. */
export function RolloutList() {
  const { t } = useLingui()
  const { search, onSearch } = useAddress(rolloutSearch)
  const navigate = useNavigate()
  const words = useRolloutWords()
  const columns = useRolloutColumns()
  const list = useList(rollouts, search, onSearch)
  const { brings, program, product } = search
  const close = () =>
    onSearch({ create: undefined, brings: undefined, program: undefined, product: undefined })
  const [hasPolicy, setPolicy] = useState(false)
  usePrefetch(RolloutForm)
  const open = (id: string) =>
    void navigate({ to: '/dashboard/maple/rollouts/$id', params: { id } })
  const createButton = (className: string) =>
    list.canCreate && (
      <button type="button" className={className} onClick={list.create}>
        <Plus size={16} aria-hidden />
        <Trans>New rollout</Trans>
      </button>
    )
  return (
    <>
      <PageHeader
        title={t`Rollouts`}
        description={t`Roll out an applet, a program or firmware to many devices, group by group.`}
        action={
          <>
            <button type="button" className="button" onClick={() => setPolicy(true)}>
              <UserCheck size={16} aria-hidden />
              <Trans>Approval…</Trans>
            </button>
            {createButton('button primary')}
          </>
        }
      />
      <DataTable<Rollout>
        {...list.table}
        label={t`Rollouts`}
        columns={columns}
        rowLabel={({ name }) => name}
        onOpen={({ id }) => open(id)}
        totalText={(count, more) =>
          t`${plural(count, { one: `#${more} rollout`, other: `#${more} rollouts` })}`
        }
        filters={
          <FilterBar
            searchLabel={t`Search by name`}
            {...list.filterBar([
              { name: 'state', label: t`State`, options: optionsOf(words.states), isSingle: true },
            ])}
          />
        }
        empty={
          <EmptyState
            icon={Waves}
            title={t`No rollouts yet`}
            text={t`A rollout begins with a few devices, stops automatically if too many fail, and continues when you tell it to.`}
            action={createButton('button')}
          />
        }
      />
      {hasPolicy && <PolicyDialog onClose={() => setPolicy(false)} />}
      {list.isCreating && (
        <RolloutForm
          start={brings && program ? { kind: brings, id: program, product } : undefined}
          onClose={close}
          onSaved={({ id }) => open(id)}
        />
      )}
    </>
  )
}

function useRolloutColumns(): DataColumn<Rollout>[] {
  const { t } = useLingui()
  const textOf = useProgramText()
  return [
    {
      id: 'name',
      header: t`Name`,
      isPrimary: true,
      cell: ({ id, name }) => (
        <Link to="/dashboard/maple/rollouts/$id" params={{ id }} preload={false}>
          <bdi>{name}</bdi>
        </Link>
      ),
    },
    {
      id: 'program',
      header: t`Contents`,
      isSecondary: true,
      cell: ({ program }) => <bdi>{textOf(program)}</bdi>,
    },
    stateColumn(
      t`State`,
      RolloutStateBadge,
      rolloutStates.map((state) => ({ state })),
    ),
    {
      id: 'progress',
      header: t`Progress`,
      phone: 'end',
      cell: ({ name, groups }) =>
        groups.length === 0 ? '–' : <ProgressBar counts={sumOf(groups)} label={name} />,
    },
    momentColumn('createdAt', t`Created`, { isSecondary: true, phone: 'hidden' }),
  ]
}
