import type { MapleProduct } from '@grove/contract/maple/connect/product'
import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { DateText } from '../../../../ui/i18n/date-text.tsx'
import { Link } from '../../../../ui/link/link.tsx'
import { PanelFacts } from '../../../../ui/panel/panel-facts.tsx'
import { CopyableId } from '../../../../ui/text/copyable-id.tsx'
import { handlerQuery, imageQuery } from './product.api.ts'
import { ProductStateBadge, useStateMeanings } from './product.labels.tsx'

export function ProductFacts({ product }: { product: MapleProduct }) {
  const { t } = useLingui()
  const meanings = useStateMeanings()
  const { id, state, model, revisions, profileId, imageId, handlerId, createdAt } = product
  return (
    <PanelFacts
      facts={[
        [t`State`, <ProductStateBadge key="state" state={state} />],
        [t`Effect`, meanings[state]],
        [t`Model`, <bdi key="model">{model ?? '–'}</bdi>],
        [t`Hardware revisions`, <bdi key="revisions">{revisions.join(', ') || '–'}</bdi>],
        [t`Profile of its secure elements`, profileId ?? '–'],
        [t`Default image`, imageId === null ? '–' : <ImageLink key="image" id={imageId} />],
        [
          t`Device handler`,
          handlerId === null ? '–' : <HandlerLink key="handler" id={handlerId} />,
        ],
        [t`Created`, <DateText key="created" value={createdAt} />],
        [t`ID`, <CopyableId key="id" value={id} />],
      ]}
    />
  )
}

function HandlerLink({ id }: { id: string }) {
  const { data } = useQuery(handlerQuery(id))
  return (
    <Link to="/dashboard/maple/device_handlers/$id" params={{ id }} preload={false}>
      <bdi>{data?.items[0]?.name ?? '…'}</bdi>
    </Link>
  )
}

function ImageLink({ id }: { id: string }) {
  const { data } = useQuery(imageQuery(id))
  const image = data?.items[0]
  return (
    <Link to="/dashboard/maple/binary_images" search={{ image: id }} preload={false}>
      {image ? `${image.name} ${image.version}` : '…'}
    </Link>
  )
}
