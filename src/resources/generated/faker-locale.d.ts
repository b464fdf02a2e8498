/** The part of faker that is used: its English word lists. The package's own types do not resolve in an ES module. */
declare module '@faker-js/faker/locale/en' {
  type Words = readonly string[]
  const faker: {
    readonly definitions: {
      readonly address: { readonly state: Words; readonly state_abbr: Words }
      readonly commerce: {
        readonly color: Words
        readonly department: Words
        readonly product_name: { readonly adjective: Words; readonly material: Words; readonly product: Words }
      }
      readonly company: { readonly noun: Words; readonly suffix: Words }
      readonly music: { readonly genre: Words }
      readonly name: {
        readonly female_first_name: Words
        readonly male_first_name: Words
        readonly last_name: Words
        readonly title: { readonly level: Words; readonly job: Words }
      }
      readonly vehicle: { readonly model: Words }
    }
  }
  export default faker
}
