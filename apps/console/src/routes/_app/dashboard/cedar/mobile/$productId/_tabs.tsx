import { createFileRoute, Outlet } from '@tanstack/react-router'
import { MissingNotice } from '../../../../../../features/cedar/parts/missing-notice.tsx'
import { PageSkeleton } from '../../../../../../features/cedar/parts/page-skeleton.tsx'
import { loadProduct } from '../../../../../../features/cedar/parts/product-tab.ts'
import { ProductPage } from '../../../../../../features/cedar/product/product.page.tsx'
import { NewVersionButton } from '../../../../../../features/cedar/product-version/new-version-button.tsx'

/** Shared by the tabs of an app; a tab is a file in `_tabs` and a line of `productTabs`. */
export const Route = createFileRoute('/_app/dashboard/cedar/mobile/$productId/_tabs')({
  loader: ({ params: { productId } }) => loadProduct(productId),
  pendingComponent: () => <PageSkeleton />,
  notFoundComponent: MissingNotice,
  component: AppPage,
})

function AppPage() {
  const { productId } = Route.useParams()
  const navigate = Route.useNavigate()
  return (
    <ProductPage
      key={productId}
      productId={productId}
      action={
        <NewVersionButton
          productId={productId}
          className="button primary"
          onClick={(search) =>
            void navigate({
              to: '/dashboard/cedar/mobile/$productId/versions',
              params: { productId },
              search,
            })
          }
        />
      }
    >
      <Outlet />
    </ProductPage>
  )
}
