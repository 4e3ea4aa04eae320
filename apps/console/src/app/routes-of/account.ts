export const files = import.meta.glob('../../routes/_app/dashboard/cedar/account/**/*.tsx', {
  eager: true,
  import: 'Route',
})
