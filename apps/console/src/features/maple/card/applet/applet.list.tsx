import type { Applet } from '@grove/contract/maple/card/applet'
import { artifactStates } from '@grove/contract/core/artifact.rules'
import { plural } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { Package } from 'lucide-react'
import { Bytes } from '../../../../ui/i18n/bytes.tsx'
import { onDemand } from '../../../../ui/kit/on-demand.tsx'
import { momentColumn, nameColumn, stateColumn } from '../../../../ui/table/columns.tsx'
import { optionsOf, ResourceList } from '../../../../ui/table/resource-list.tsx'
import type { DataColumn } from '../../../../ui/table/types.ts'
import { useResourceList } from '../../../../ui/table/use-resource-list.ts'
import { applets } from './applet.api.ts'
import { AppletStateBadge, useAppletStateWords } from './applet.labels.tsx'
import { appletList } from './applet.search.ts'

const AppletPanel = onDemand(
  () => import('./applet.panel.tsx').then((file) => file.AppletPanel),
  'maple-applet',
)
const UploadApplet = onDemand(
  () => import('./upload-applet.tsx').then((file) => file.UploadApplet),
  'maple-applet',
)

/** The applets, and beside them one of them or a drop zone for a CAP file. */
export function AppletList() {
  const { t } = useLingui()
  const words = useAppletStateWords()
  const columns = useAppletColumns()
  return (
    <ResourceList
      list={useResourceList(applets)}
      title={t`Applets`}
      description={t`Java Card packages to install on secure elements.`}
      icon={Package}
      columns={columns}
      rowLabel={({ name, version }) => `${name} ${version}`}
      totalText={(count, more) =>
        t`${plural(count, { one: `#${more} applet`, other: `#${more} applets` })}`
      }
      searchLabel={t`Search by name or AID`}
      filters={[{ name: 'state', label: t`State`, options: optionsOf(words), isSingle: true }]}
      empty={{
        title: t`No applets yet`,
        text: t`Drop a CAP file to inspect it, check which elements can take it, and install it.`,
        hint: (
          <p className="muted">
            <Trans>No CAP file at hand? Try the sample.</Trans>
          </p>
        ),
      }}
      create={{ label: t`New applet`, form: UploadApplet }}
      panel={AppletPanel}
    />
  )
}

function useAppletColumns(): DataColumn<Applet>[] {
  const { t } = useLingui()
  return [
    nameColumn(appletList, { id: 'name', header: t`Package`, text: ({ name }) => name }),
    {
      id: 'version',
      header: t({ message: 'Version', context: 'of a package' }),
      cell: ({ version }) => version,
    },
    {
      id: 'packageAid',
      header: 'AID',
      cell: ({ packageAid }) => <code>{packageAid}</code>,
      phone: 'hidden',
    },
    stateColumn(
      t`State`,
      AppletStateBadge,
      artifactStates.map((state) => ({ state })),
    ),
    {
      id: 'loadSize',
      header: t`Size on the card`,
      cell: ({ loadSize }) => <Bytes value={loadSize} />,
      align: 'end',
      phone: 'hidden',
    },
    momentColumn('createdAt', t({ message: 'Uploaded', context: 'when' }), {
      isSecondary: true,
      phone: 'hidden',
    }),
  ]
}
