export const files = import.meta.glob('../../routes/_app/dashboard/system/**/*.tsx', {
  eager: true,
  import: 'Route',
})
