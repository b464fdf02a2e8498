/** Validates JUnit XML by the rules of the published schema of Apache Ant's format (JUnit.xsd of windyroad/JUnit-Schema). */
const required = (name: string, type: string): string => `<xs:attribute name="${name}" type="${type}" use="required"/>`

/** The rules of the schema: order of elements, required attributes, and their types. */
const schema = `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">
  <xs:simpleType name="name"><xs:restriction base="xs:token"><xs:minLength value="1"/></xs:restriction></xs:simpleType>
  <xs:simpleType name="time"><xs:restriction base="xs:dateTime">
    <xs:pattern value="\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}"/>
  </xs:restriction></xs:simpleType>
  <xs:complexType name="problem"><xs:simpleContent><xs:extension base="xs:string">
    <xs:attribute name="message" type="xs:string"/>${required('type', 'xs:string')}
  </xs:extension></xs:simpleContent></xs:complexType>
  <xs:complexType name="testcase">
    <xs:choice minOccurs="0">
      <xs:element name="skipped"/>
      <xs:element name="error" type="problem"/>
      <xs:element name="failure" type="problem"/>
    </xs:choice>
    ${required('name', 'xs:token')}${required('classname', 'xs:token')}${required('time', 'xs:decimal')}
  </xs:complexType>
  <xs:complexType name="testsuite">
    <xs:sequence>
      <xs:element name="properties"><xs:complexType/></xs:element>
      <xs:element name="testcase" type="testcase" minOccurs="0" maxOccurs="unbounded"/>
      <xs:element name="system-out" type="xs:string"/>
      <xs:element name="system-err" type="xs:string"/>
    </xs:sequence>
    ${required('package', 'xs:token')}${required('id', 'xs:int')}${required('name', 'name')}
    ${required('timestamp', 'time')}${required('hostname', 'name')}${required('time', 'xs:decimal')}
    ${required('tests', 'xs:int')}${required('failures', 'xs:int')}${required('errors', 'xs:int')}
    <xs:attribute name="skipped" type="xs:int"/>
  </xs:complexType>
  <xs:element name="testsuites"><xs:complexType><xs:sequence>
    <xs:element name="testsuite" type="testsuite" minOccurs="0" maxOccurs="unbounded"/>
  </xs:sequence></xs:complexType></xs:element>
</xs:schema>`

export interface ReadCase {
  readonly name: string
  readonly className: string
  readonly result: 'passed' | 'skipped' | 'failed'
  readonly message: string
}

/** Parses JUnit XML. @throws {Error} It is not well-formed, or breaks the schema. */
export async function readJunit(xml: string): Promise<readonly ReadCase[]> {
  // Loading it needs an `await`, and AVA accepts no test that is declared after that.
  const { XmlDocument, XsdValidator } = await import('libxml2-wasm')
  using document = XmlDocument.fromString(xml)
  using schemaDocument = XmlDocument.fromString(schema)
  using validator = XsdValidator.fromDoc(schemaDocument)
  validator.validate(document)
  return document.find('//testcase').map((node) => {
    const text = (path: string): string => node.eval(`string(${path})`) as string
    const result = text('name(*)') === 'failure' ? 'failed' : text('name(*)') === 'skipped' ? 'skipped' : 'passed'
    return { name: text('@name'), className: text('@classname'), result, message: text('*/@message') }
  })
}
