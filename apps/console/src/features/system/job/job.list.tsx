import type { Job } from '@grove/contract/core/job'
import { jobStates } from '@grove/contract/core/job.rules'
import { Trans, useLingui } from '@lingui/react/macro'
import { Ban, ListChecks, RotateCcw } from 'lucide-react'
import { DateText, LongestRelativeDates } from '../../../ui/i18n/date-text.tsx'
import { onDemand, usePrefetch } from '../../../ui/kit/on-demand.tsx'
import { MenuItem } from '../../../ui/menu/menu-item.tsx'
import { PageHeader } from '../../../ui/page/page-header.tsx'
import { momentColumn, nameColumn, stateColumn } from '../../../ui/table/columns.tsx'
import { DataTable } from '../../../ui/table/data-table.tsx'
import { FilterMenu } from '../../../ui/table/filter-menu.tsx'
import type { DataColumn } from '../../../ui/table/types.ts'
import { useAddress } from '../../../ui/table/use-address.ts'
import { useList } from '../../../ui/table/use-list.ts'
import { EmptyState } from '../../../ui/text/empty-state.tsx'
import { ServiceTabs } from '../parts/service-tabs.tsx'
import { isWithoutThem, useServiceNames } from '../parts/services.ts'
import { jobListQuery } from './job.api.ts'
import { JobProgress, JobStateBadge, useJobWords } from './job.labels.tsx'
import styles from './job.module.css'
import { jobList, jobSearch } from './job.search.ts'
import { useJobActions } from './use-job-actions.ts'

const JobPanel = onDemand(() => import('./job.panel.tsx').then((module) => module.JobPanel))

/** The jobs of one service, with one of them beside the list. */
export function JobList() {
  const { search, onSearch } = useAddress(jobSearch)
  const { service } = search
  return (
    <>
      <PageHeader
        title={<Trans>Jobs</Trans>}
        description={
          <Trans>
            Background work of the services, such as sending email. What recurs, such as hourly
            cleanup, is under “Kind”.
          </Trans>
        }
      />
      <ServiceTabs
        selected={service}
        onSelect={(chosen) => onSearch({ service: chosen, cursor: undefined, job: undefined })}
      >
        <Jobs key={service} />
      </ServiceTabs>
    </>
  )
}

function Jobs() {
  const { t } = useLingui()
  const { search, onSearch } = useAddress(jobSearch)
  const { service } = search
  const words = useJobWords()
  const serviceName = useServiceNames()[service]
  const columns = useJobColumns()
  const actions = useJobActions(service)
  const list = useList(
    { list: jobList, query: (page) => jobListQuery(service, page) },
    search,
    onSearch,
  )
  usePrefetch(JobPanel)
  if (isWithoutThem(list.result.error))
    return (
      <EmptyState
        icon={ListChecks}
        title={t`No jobs`}
        text={t`The service ${serviceName} of this stage does not show its jobs.`}
      />
    )
  const rowActions = (job: Job) => (
    <>
      <MenuItem disabledReason={actions.retryRefusal(job)} onSelect={() => void actions.retry(job)}>
        <RotateCcw size={16} aria-hidden />
        <Trans>Retry…</Trans>
      </MenuItem>
      <MenuItem
        isDanger
        disabledReason={actions.cancelRefusal(job)}
        onSelect={() => void actions.cancel(job)}
      >
        <Ban size={16} aria-hidden />
        <Trans>Cancel…</Trans>
      </MenuItem>
    </>
  )
  return (
    <>
      <DataTable
        {...list.table}
        label={t`Jobs`}
        columns={columns}
        rowLabel={words.nameOf}
        rowActions={rowActions}
        filters={
          <>
            <FilterMenu
              label={t`State`}
              options={words.states}
              selected={jobList.knownOf(search, 'state')}
              onChange={(state) =>
                onSearch({ state: state.length > 0 ? state : undefined, cursor: undefined })
              }
            />
            <FilterMenu
              label={t`Kind`}
              options={[{ value: 'recurring', label: t`Recurring jobs` }]}
              selected={jobList.knownOf(search, 'kind')}
              isSingle
              onChange={(kind) =>
                onSearch({ kind: kind.length > 0 ? kind : undefined, cursor: undefined })
              }
            />
          </>
        }
        empty={
          <EmptyState
            icon={ListChecks}
            title={t`No jobs yet`}
            text={t`A job is work outside a request, such as sending an email or deleting expired sessions. Jobs appear here once the service has any.`}
          />
        }
      />
      {list.panel && <JobPanel service={service} {...list.panel} />}
    </>
  )
}

function useJobColumns(): DataColumn<Job>[] {
  const { t } = useLingui()
  const words = useJobWords()
  return [
    nameColumn<Job>(jobList, { id: 'name', header: t`Job`, text: words.nameOf }),
    stateColumn(
      t`State`,
      JobStateBadge,
      jobStates.map((state) => ({ state, isCancelling: false })),
    ),
    {
      id: 'failure',
      header: t`Reason`,
      cell: ({ failure }) =>
        failure === null ? (
          <span className="muted">–</span>
        ) : (
          <span className={styles.reason} title={words.reasonOf(failure)}>
            {words.reasonOf(failure)}
          </span>
        ),
    },
    {
      id: 'attempts',
      header: t`Attempts`,
      align: 'end',
      isSecondary: true,
      phone: 'hidden',
      cell: ({ attempts }) => attempts,
    },
    {
      id: 'progress',
      header: t`Progress`,
      isSecondary: true,
      phone: 'hidden',
      cell: ({ progress }) => <JobProgress progress={progress} />,
    },
    {
      id: 'dueAt',
      header: t`Next run`,
      isSecondary: true,
      phone: 'hidden',
      sample: <LongestRelativeDates />,
      cell: ({ state, dueAt }) => <DateText value={state === 'queued' ? dueAt : null} isRelative />,
    },
    momentColumn('createdAt', t`Created`),
  ]
}
