/* The reader of X3D: each node that has geometry, where nodes put it, files in files, and what is
 * left out or refused, and how that is said. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../tools/import/import.h"
#include "../support/small_models.h"

#define X3D(nodes) "<X3D version='3.3'><Scene>" nodes "</Scene></X3D>"
#define SHAPE(geometry) "<Shape>" geometry "</Shape>"
#define SHOWN(geometry) X3D(SHAPE(geometry))
#define POINTS "<Coordinate point='0 0 0 2 0 0 0 2 0 0 0 2'/>"
/* The corner of a cube, of area 9.4641 and volume 4/3. */
#define CORNER                                                                                     \
    "<IndexedFaceSet coordIndex='0 2 1 -1 0 1 3 -1 0 3 2 -1 1 2 3'>" POINTS "</IndexedFaceSet>"
#define CORNER_SHAPE                                                                               \
    {                                                                                              \
        1.33333333333333,                                                                          \
        {                                                                                          \
            0, 0, 0, 2, 2, 2                                                                       \
        }                                                                                          \
    }
/* A square with a point in its middle, of two units by two. */
#define SQUARE "<Coordinate point='0 0 0 2 0 0 2 2 0 0 2 0'/>"
#define SQUARE_SHAPE                                                                               \
    {                                                                                              \
        0,                                                                                         \
        {                                                                                          \
            0, 0, 0, 2, 2, 0                                                                       \
        }                                                                                          \
    }

typedef struct {
    small_model model;
    small_shape shape;
} row;

#define ROW(about, text, triangles, area, says, ...)                                               \
    {                                                                                              \
        {about, "x3d", text, 0, triangles, area, says}, __VA_ARGS__                                \
    }

static const row rows[] = {
    /* -- sets of faces -- */
    ROW("faces", SHOWN(CORNER), 4, 9.46410161513775, NULL, CORNER_SHAPE),
    ROW("hexadecimal numbers",
        X3D("<Switch whichChoice='0x00'>" SHAPE("<IndexedFaceSet coordIndex='0x0 2 0X1 -1 0 1 3 "
                                                "0xFFFFFFFF 0 3 2 -1 1 2 3 -1'>" POINTS
                                                "</IndexedFaceSet>") "</Switch>"),
        4, 9.46410161513775, NULL, CORNER_SHAPE),
    ROW("nodes that have no geometry",
        X3D("<ViewpointGroup><Viewpoint/></ViewpointGroup><EaseInEaseOut/><Gain><AudioClip/></Gain>"
            "<PositionInterpolator2D/><TexCoordDamper2D/><SignalPdu/>" SHAPE(CORNER)),
        4, 9.46410161513775, NULL, CORNER_SHAPE),
    ROW("rigid bodies",
        X3D("<RigidBodyCollection><RigidBody><CollidableShape>" SHAPE(
            "<Box/>") "</CollidableShape></RigidBody></RigidBodyCollection>" SHAPE(CORNER)),
        4, 9.46410161513775, "line 1: <RigidBodyCollection>: 1 geometry is in it, not shown",
        CORNER_SHAPE),
    ROW("geometry of scripts, sensors and values",
        X3D("<Script><field name='a' type='SFNode' accessType='initializeOnly'>" SHAPE(
            "<Box/>") "<Inline url='no.x3d'/><Shape USE='a'/></field></Script>" SHAPE(CORNER)),
        4, 9.46410161513775, "<Script>: 2 geometries are in it", CORNER_SHAPE),
    ROW("what a sensor picks with",
        X3D("<LinePickSensor><IndexedLineSet containerField='pickingGeometry'/></LinePickSensor>"
            "<TouchSensor/>" SHAPE(CORNER)),
        4, 9.46410161513775, "<LinePickSensor>: 1 geometry is in it", CORNER_SHAPE),
    ROW("a value of an instance",
        X3D("<ProtoDeclare name='a'><ProtoBody><WorldInfo/><Shape><Box/></Shape></ProtoBody>"
            "</ProtoDeclare><ProtoInstance name='a'><fieldValue name='b'><Shape><Box/></Shape>"
            "</fieldValue></ProtoInstance>" SHAPE(CORNER)),
        4, 9.46410161513775, "<ProtoInstance>: 1 geometry is in it", CORNER_SHAPE),
    ROW("a child of a use", X3D("<Shape DEF='a'>" CORNER "</Shape><Shape USE='a'><Box/></Shape>"),
        8, 18.9282032302755, "<Shape>: 1 geometry is in it, not shown",
        {2.66666666666667, {0, 0, 0, 2, 2, 2}}),
    ROW("text in a node",
        X3D(SHAPE("<IndexedFaceSet coordIndex='0 2 1'>" POINTS "0 1 2</IndexedFaceSet>")), 1, 2,
        "<IndexedFaceSet>: text in it, which X3D does not have there", {0, {0, 0, 0, 2, 2, 0}}),
    ROW("text of a script", X3D("<Script><![CDATA[ecmascript: 1]]></Script>" SHAPE(CORNER)), 4,
        9.46410161513775, NULL, CORNER_SHAPE),
    ROW("a plane that cuts", X3D("<ClipPlane plane='1 0 0 -1'/>" SHAPE(CORNER)), 4,
        9.46410161513775, "<ClipPlane>: it is not applied: what it cuts off is read", CORNER_SHAPE),
    ROW("a plane that does not cut", X3D("<ClipPlane enabled='false'/>" SHAPE(CORNER)), 4,
        9.46410161513775, NULL, CORNER_SHAPE),
    ROW("commas",
        SHOWN("<IndexedFaceSet coordIndex='0,2,1,-1,0 1 3,-1, 0 3 2 -1,1,2,3,-1'>"
              "<Coordinate point='0 0 0,2 0 0, 0 2 0,\n0,0,2,'/></IndexedFaceSet>"),
        4, 9.46410161513775, NULL, CORNER_SHAPE),
    ROW("doubles",
        SHOWN("<IndexedFaceSet coordIndex='0 2 1 -1 0 1 3 -1 0 3 2 -1 1 2 3'>"
              "<CoordinateDouble point='0 0 0 2 0 0 0 2 0 0 0 2'/></IndexedFaceSet>"),
        4, 9.46410161513775, NULL, CORNER_SHAPE),
    ROW("clockwise",
        SHOWN("<IndexedFaceSet ccw='false' coordIndex='1 2 0 -1 3 1 0 -1 2 3 0 -1 "
              "3 2 1 -1'>" POINTS "</IndexedFaceSet>"),
        4, 9.46410161513775, NULL, CORNER_SHAPE),
    ROW("a polygon",
        SHOWN("<IndexedFaceSet convex='false' solid='false' coordIndex='0 1 2 3 -1'>" SQUARE
              "</IndexedFaceSet>"),
        2, 4, NULL, SQUARE_SHAPE),
    ROW("colours, normals and textures",
        SHOWN("<IndexedFaceSet coordIndex='0 1 2 3 -1' colorIndex='0' normalIndex='0 1 2 3 -1' "
              "texCoordIndex='x'>" SQUARE "<Color color='1 0 0'/><ColorRGBA/><Normal vector='0'/>"
              "<TextureCoordinate point='0 0'/><MultiTextureCoordinate><TextureCoordinate/>"
              "</MultiTextureCoordinate><MetadataString value='\"a\"'/></IndexedFaceSet>"),
        2, 4, NULL, SQUARE_SHAPE),
    ROW("triangles by index",
        SHOWN("<IndexedTriangleSet index='0 2 1 0 1 3 0 3 2 1 2 3'>" POINTS
              "</IndexedTriangleSet>"),
        4, 9.46410161513775, NULL, CORNER_SHAPE),
    ROW("half a triangle",
        SHOWN("<IndexedTriangleSet index='0 1 2 0 2 3 0'>" SQUARE "</IndexedTriangleSet>"), 2, 4,
        "no faces of 3; the last 1 are left out", SQUARE_SHAPE),
    ROW("fans by index",
        SHOWN("<IndexedTriangleFanSet index='0 2 1 3 2 -1 1 2 3'>" POINTS
              "</IndexedTriangleFanSet>"),
        4, 9.46410161513775, NULL, {-1.33333333333333 + 8.0 / 3, {0, 0, 0, 2, 2, 2}}),
    ROW("strips by index",
        SHOWN("<IndexedTriangleStripSet index='0 1 3 2 0 1'>" POINTS "</IndexedTriangleStripSet>"),
        4, 9.46410161513775, NULL, CORNER_SHAPE),
    ROW("clockwise strips",
        SHOWN("<IndexedTriangleStripSet ccw='false' index='1 0 3 2 1 0'>" POINTS
              "</IndexedTriangleStripSet>"),
        4, 9.46410161513775, NULL, CORNER_SHAPE),
    ROW("quads by index", SHOWN("<IndexedQuadSet index='0 1 2 3'>" SQUARE "</IndexedQuadSet>"), 2,
        4, NULL, SQUARE_SHAPE),
    ROW("triangles",
        SHOWN("<TriangleSet><Coordinate point='0 0 0 0 2 0 2 0 0 0 0 0 2 0 0 0 0 2 "
              "0 0 0 0 0 2 0 2 0 2 0 0 0 2 0 0 0 2'/></TriangleSet>"),
        4, 9.46410161513775, NULL, CORNER_SHAPE),
    ROW("fans", SHOWN("<TriangleFanSet fanCount='4'>" SQUARE "</TriangleFanSet>"), 2, 4, NULL,
        SQUARE_SHAPE),
    ROW("a fan with a vertex more",
        SHOWN("<TriangleFanSet fanCount='3'>" SQUARE "</TriangleFanSet>"), 1, 2,
        "fanCount counts 3 vertices of 4", SQUARE_SHAPE),
    ROW("strips",
        SHOWN("<TriangleStripSet stripCount='4'><Coordinate point='0 0 0 2 0 0 0 2 0 2 2 "
              "0'/></TriangleStripSet>"),
        2, 4, NULL, SQUARE_SHAPE),
    ROW("quads", SHOWN("<QuadSet>" SQUARE "</QuadSet>"), 2, 4, NULL, SQUARE_SHAPE),
    /* -- shapes by their sizes -- */
    ROW("a box", SHOWN("<Box size='2 3 5'/>"), 12, 62, NULL, {30, {-1, -1.5, -2.5, 1, 1.5, 2.5}}),
    ROW("the usual box", SHOWN("<Box/>"), 12, 24, NULL, {8, {-1, -1, -1, 1, 1, 1}}),
    ROW("a rectangle", SHOWN("<Rectangle2D size='2 4'/>"), 2, 8, NULL, {0, {-1, -2, 0, 1, 2, 0}}),
    ROW("flat triangles", SHOWN("<TriangleSet2D vertices='0 0 2 0 0 2'/>"), 1, 2, NULL,
        SQUARE_SHAPE),
    ROW("heights",
        SHOWN("<ElevationGrid xDimension='3' zDimension='2' xSpacing='2' zSpacing='3' "
              "height='1 1 1 1 1 1'/>"),
        4, 12, NULL, {4.0, {0, 1, 0, 4, 1, 3}}),
    ROW("heights from below",
        SHOWN("<ElevationGrid xDimension='2' zDimension='2' ccw='false' "
              "height='1 1 1 1'/>"),
        2, 1, NULL, {-1.0 / 3, {0, 1, 0, 1, 1, 1}}),
    ROW("a height more", SHOWN("<ElevationGrid xDimension='2' zDimension='2' height='1 1 1 1 7'/>"),
        2, 1, "1 heights beyond 2 times 2", {1.0 / 3, {0, 1, 0, 1, 1, 1}}),
    /* -- extrusions -- */
    ROW("the usual extrusion", SHOWN("<Extrusion/>"), 12, 16, NULL, {4, {-1, 0, -1, 1, 1, 1}}),
    ROW("clockwise", SHOWN("<Extrusion ccw='false' crossSection='1 1 -1 1 -1 -1 1 -1 1 1'/>"), 12,
        16, NULL, {4, {-1, 0, -1, 1, 1, 1}}),
    ROW("without caps", SHOWN("<Extrusion beginCap='false' endCap='false'/>"), 8, 8, NULL,
        {8.0 / 3 + 0, {-1, 0, -1, 1, 1, 1}}),
    ROW("along x", SHOWN("<Extrusion spine='0 0 0 3 0 0'/>"), 12, 32, NULL,
        {12, {0, -1, -1, 3, 1, 1}}),
    ROW("a corner given twice", SHOWN("<Extrusion spine='0 0 0 0 4 0 4 4 0 4 4 0 4 4 4'/>"), 36,
        95.8743762, NULL, {37.522846, {-1, 0, -1, 5, 5, 4}}),
    ROW("a ring whose last point is 0 below 0",
        SHOWN(
            "<Extrusion beginCap='false' endCap='false' spine='0 0 0 4 0 0 4 4 0 0 4 0 0 0 -0'/>"),
        32, 109.254828, NULL,
        {45.254834, {-0.70710677, -0.70710677, -1, 4.70710659, 4.70710659, 1}}),
    ROW("downwards", SHOWN("<Extrusion spine='0 0 0 0 -3 0'/>"), 12, 32, NULL,
        {12, {-1, -3, -1, 1, 0, 1}}),
    ROW("scaled", SHOWN("<Extrusion scale='1 1 2 3' spine='0 0 0 0 6 0'/>"), 12, 114.609432, NULL,

        {76, {-2, 0, -3, 2, 6, 3}}),
    ROW("rotated",
        SHOWN("<Extrusion orientation='0 1 0 1.5707963267948966' crossSection='2 1 2 -1 "
              "-2 -1 -2 1 2 1'/>"),
        12, 28, NULL, {8, {-1, 0, -2, 1, 1, 2}}),
    ROW("round a corner",
        SHOWN("<Extrusion spine='0 0 0 0 4 0 4 4 0' crossSection='.5 .5 .5 -.5 "
              "-.5 -.5 -.5 .5 .5 .5'/>"),
        20, 31.667658227, NULL,
        {6.828427125,
         {-0.500000000, 0.000000000, -0.500000000, 4.000000000, 4.500000000, 0.500000000}}),
    /* -- places -- */
    ROW("moved", X3D("<Transform translation='10 20 30'>" SHAPE(CORNER) "</Transform>"), 4,
        9.46410161513775, NULL, {1.33333333333333, {10, 20, 30, 12, 22, 32}}),
    ROW("moved by a simulation",
        X3D("<EspduTransform translation='10 20 30' geoCoords='0 0 0'>" SHAPE(
            CORNER) "</EspduTransform>"),
        4, 9.46410161513775, NULL, {1.33333333333333, {10, 20, 30, 12, 22, 32}}),
    ROW("turned",
        X3D("<Transform rotation='0 0 5 1.5707963267948966'>" SHAPE(CORNER) "</Transform>"), 4,
        9.46410161513775, NULL, {1.33333333333333, {-2, 0, 0, 0, 2, 2}}),
    ROW("turned about a centre",
        X3D("<Transform center='2 0 0' rotation='0 0 1 1.5707963267948966'>" SHAPE(
            CORNER) "</Transform>"),
        4, 9.46410161513775, NULL, {1.33333333333333, {0, -2, 0, 2, 0, 2}}),
    ROW("scaled along axes of its own",
        X3D("<Transform scale='2 1 1' scaleOrientation='0 0 1 1.5707963267948966'>" SHAPE(
            "<Box/>") "</Transform>"),
        12, 40, NULL, {16, {-1, -2, -1, 1, 2, 1}}),
    ROW("mirrored", X3D("<Transform scale='-1 1 1'>" SHAPE(CORNER) "</Transform>"), 4,
        9.46410161513775, NULL, {1.33333333333333, {-2, 0, 0, 0, 2, 2}}),
    ROW("no rotation", X3D("<Transform rotation='0 0 0 0'>" SHAPE(CORNER) "</Transform>"), 4,
        9.46410161513775, NULL, CORNER_SHAPE),
    ROW("degrees",
        "<X3D><head><unit category='angle' name='degree' "
        "conversionFactor='0.017453292519943295'/></head><Scene><Transform rotation='0 "
        "0 1 90'>" SHAPE(CORNER) "</Transform></Scene></X3D>",
        4, 9.46410161513775, NULL, {1.33333333333333, {-2, 0, 0, 0, 2, 2}}),
    ROW("inches",
        "<X3D><head><component name='a' level='1'/><meta name='a' content='b'/><unit "
        "category='mass' name='x' conversionFactor='2'/><unit category='length' "
        "name='inch' conversionFactor='.0254'/></head><Scene>" SHAPE("<Box/>") "</Scene></X3D>",
        12, 24 * .0254 * .0254, NULL,
        {8 * .0254 * .0254 * .0254, {-.0254, -.0254, -.0254, .0254, .0254, .0254}}),
    ROW("groups",
        X3D("<Group><StaticGroup><Collision><Anchor url='x'><CADAssembly><CADPart "
            "translation='1 0 0'><CADFace>" SHAPE(
                CORNER) "</CADFace></CADPart></CADAssembly></Anchor></Collision></StaticGroup>"
                        "</Group>"),
        4, 9.46410161513775, NULL, {1.33333333333333, {1, 0, 0, 3, 2, 2}}),
    ROW("used again",
        X3D("<Transform DEF='a'><Shape DEF='s'>" CORNER "</Shape></Transform>"
            "<Transform translation='5 0 0'><Transform USE='a'/><Group><Shape "
            "USE='s'/></Group></Transform>"),
        12, 3 * 9.46410161513775, NULL, {4, {0, 0, 0, 7, 2, 2}}),
    ROW("coordinates used again",
        X3D(SHAPE(
            "<IndexedFaceSet coordIndex='0 2 1 -1 0 1 3 -1'><Coordinate DEF='c' point='0 0 0 2 "
            "0 0 0 2 0 0 0 2'/></IndexedFaceSet>")
                SHAPE("<IndexedFaceSet coordIndex='0 3 2'><Coordinate USE='c'/></IndexedFaceSet>")
                    SHAPE("<IndexedTriangleSet index='1 2 3'><Coordinate "
                          "USE='c'/></IndexedTriangleSet>")),
        4, 9.46410161513775, NULL, CORNER_SHAPE),
    ROW("geometry used again",
        X3D("<Shape><Appearance DEF='p'/><Box DEF='b'/></Shape><Shape><Box "
            "USE='b'/></Shape><Shape><Box USE='b'/><Appearance USE='p'/>"
            "</Shape>"),
        36, 72, NULL, {24, {-1, -1, -1, 1, 1, 1}}),
    ROW("a name twice",
        X3D("<Shape DEF='a'><Box/></Shape><Shape DEF='a'>" CORNER
            "</Shape><Transform translation='9 0 0'><Shape USE='a'/></Transform>"),
        20, 24 + 2 * 9.46410161513775, "the DEF \"a\" is that of line 1 too",
        {8 + 8.0 / 3, {-1, -1, -1, 11, 2, 2}}),
    ROW("a switch",
        X3D("<Switch whichChoice='2'>" SHAPE("<Box/>") "<MetadataFloat/><ROUTE/>"
                                                       "<Viewpoint/>" SHAPE(CORNER) "</Switch>"),
        4, 9.46410161513775, "1 of its 3 children is shown, by whichChoice", CORNER_SHAPE),
    ROW("a switch of nothing", X3D("<Switch>" SHAPE("<Box/>") "</Switch>" SHAPE(CORNER)), 4,
        9.46410161513775, "0 of its 1 children are shown", CORNER_SHAPE),
    ROW("levels", X3D("<LOD range='5'>" SHAPE(CORNER) SHAPE("<Box/>") "</LOD>"), 4,
        9.46410161513775, "1 of its 2 children is shown, by the first level", CORNER_SHAPE),
    ROW("a billboard", X3D("<Billboard>" SHAPE(CORNER) "</Billboard>"), 4, 9.46410161513775,
        "line 1: <Billboard>: it is read as it stands", CORNER_SHAPE),
    ROW("a proxy",
        X3D("<Collision><Group containerField='proxy'>" SHAPE("<Box/>") "</Group>" SHAPE(
            CORNER) "</Collision>"),
        4, 9.46410161513775, "the proxy of a <Collision> is left out", CORNER_SHAPE),
    ROW("what is invisible", X3D("<Group visible='false'>" SHAPE(CORNER) "</Group>"), 4,
        9.46410161513775, "1 nodes are declared invisible", CORNER_SHAPE),
    /* -- what has no faces -- */
    ROW("lines and points",
        X3D(SHAPE("<IndexedLineSet coordIndex='0 1 2 3 0 -1'>" SQUARE "</IndexedLineSet>")
                SHAPE("<LineSet vertexCount='4'>" SQUARE "</LineSet>")
                    SHAPE("<PointSet>" SQUARE "</PointSet>")
                        SHAPE("<Polyline2D lineSegments='0 0 1 1 2 0'/>") SHAPE("<Circle2D/>")
                            SHAPE("<Arc2D/>") SHAPE("<Polypoint2D point='0 0'/>") SHAPE(CORNER)),
        4, 9.46410161513775, NULL, CORNER_SHAPE),
    ROW("letters", X3D(SHAPE("<Text string='\"a\"'><FontStyle/></Text>") SHAPE(CORNER)), 4,
        9.46410161513775, "letters are left out", CORNER_SHAPE),
    ROW("harmless nodes",
        X3D("<WorldInfo/><NavigationInfo/><Viewpoint/><Background/><TextureBackground/><Fog/>"
            "<DirectionalLight/><PointLight/><SpotLight/><TouchSensor/><TimeSensor/>"
            "<PositionInterpolator/><Script><field name='a'><Transform>x</Transform></field>"
            "</Script><BooleanToggle/><Sound><AudioClip/></Sound><ProximitySensor/>" SHAPE(
                "<Appearance><Material/><ImageTexture/><ComposedShader/></Appearance>" CORNER)),
        4, 9.46410161513775, NULL, CORNER_SHAPE),
    ROW("a declaration without an instance",
        X3D("<ProtoDeclare name='a'><ProtoInterface><field name='x'/></ProtoInterface><ProtoBody>"
            "<Group><Shape/></Group></ProtoBody></ProtoDeclare>" SHAPE(CORNER)),
        4, 9.46410161513775, NULL, CORNER_SHAPE),
    ROW("an instance without geometry",
        X3D("<ProtoDeclare name='a'><ProtoInterface><field name='x'><Shape/></field>"
            "</ProtoInterface><ProtoBody><Viewpoint/><Shape/></ProtoBody></ProtoDeclare>"
            "<ProtoInstance name='a'><fieldValue name='x'/></ProtoInstance>" SHAPE(CORNER)),
        4, 9.46410161513775, NULL, CORNER_SHAPE),
    ROW("instances that are colours",
        X3D("<ProtoDeclare name='a'><ProtoBody><Appearance/></ProtoBody></ProtoDeclare>"
            "<ExternProtoDeclare name='b' url='c'/><Shape><ProtoInstance name='a'/>" CORNER
            "</Shape><Transform translation='2 0 0'><Shape><ProtoInstance name='b' "
            "containerField='appearance'/><IndexedFaceSet coordIndex='0 2 1'>" POINTS
            "<ProtoInstance name='b' containerField='color'/><ProtoInstance name='b' "
            "containerField='metadata'/></IndexedFaceSet></Shape></Transform>"),
        5, 11.46410161513775, NULL, {1.33333333333333, {0, 0, 0, 4, 2, 2}}),
    ROW("a shape of nothing", X3D("<Shape/>" SHAPE("<Appearance/>") SHAPE(CORNER)), 4,
        9.46410161513775, NULL, CORNER_SHAPE),
    ROW("a set of nothing", X3D(SHAPE("<IndexedFaceSet/>") SHAPE(CORNER)), 4, 9.46410161513775,
        "line 1: <IndexedFaceSet>: it has no face", CORNER_SHAPE),
};

static const small_model refused[] = {
    {"another root", "x3d", "<svg/>", 0, -1, 0, "line 1: <svg>: the file is not X3D"},
    {"no scene", "x3d", "<X3D/>", 0, -1, 0, "there is no <Scene>"},
    {"no face", "x3d", X3D(""), 0, -1, 0, "no face"},
    {"VRML", "x3d", "#VRML V2.0 utf8\nShape {}", 0, -2, 0, "in the encoding of VRML"},
    {"gzip", "x3d", "\x1F\x8B\x08", 0, -2, 0, "compressed by gzip"},
    {"an unknown node", "x3d", X3D("\n<NurbsPatchSurface/>"), 0, -2, 0,
     "line 2: <NurbsPatchSurface>: it is not read, and may have geometry"},
    {"a skeleton", "x3d", X3D("<HAnimHumanoid/>"), 0, -2, 0, "<HAnimHumanoid>"},
    {"a joint of one", "x3d", X3D("<HAnimJoint/>"), 0, -2, 0, "<HAnimJoint>"},
    {"a filled arc", "x3d", SHOWN("<ArcClose2D/>"), 0, -2, 0, "<ArcClose2D>"},
    {"geographic coordinates", "x3d", SHOWN("<IndexedFaceSet><GeoCoordinate/></IndexedFaceSet>"), 0,
     -2, 0, "<GeoCoordinate>"},
    {"an instance", "x3d",
     X3D("<ProtoDeclare name='a'><ProtoBody><Group/></ProtoBody></ProtoDeclare><ProtoInstance "
         "name='a'/>"),
     0, -2, 0, "an instance of the prototype \"a\""},
    {"an instance as vertices", "x3d",
     SHOWN("<PointSet><ProtoInstance name='a' containerField='coord'/></PointSet>"), 0, -2, 0,
     "an instance of the prototype \"a\""},
    {"a group in the field of an appearance", "x3d",
     X3D("<ProtoInstance name='a' containerField='appearance'/>"), 0, -2, 0,
     "an instance of the prototype \"a\""},
    {"an instance of a prototype elsewhere", "x3d",
     X3D("<ExternProtoDeclare name='a' url='b'/><ProtoInstance name='a'/>"), 0, -2, 0,
     "prototype \"a\""},
    {"an instance as geometry", "x3d", SHOWN("<ProtoInstance name='b'/>"), 0, -2, 0,
     "prototype \"b\""},
    {"geometry without a shape", "x3d", X3D("<Box/>"), 0, -1, 0, "it has no place in <Scene>"},
    {"a shape in a shape", "x3d", SHOWN("<Shape/>"), 0, -1, 0, "it has no place in <Shape>"},
    {"two geometries", "x3d", X3D("<Shape><Box/>\n<Sphere/></Shape>"), 0, -1, 0,
     "line 2: <Sphere>: a second one of its kind in <Shape>, after line 1"},
    {"two geometries where no one looks", "x3d", X3D("<Switch>" SHAPE("<Box/><Box/>") "</Switch>"),
     0, -1, 0, "a second one of its kind in <Shape>"},
    {"two appearances", "x3d", SHOWN("<Appearance/><Box/><Appearance/>"), 0, -1, 0,
     "<Appearance>: a second one of its kind in <Shape>"},
    {"two materials", "x3d", SHOWN("<Appearance><Material/><PhysicalMaterial/></Appearance><Box/>"),
     0, -1, 0, "<PhysicalMaterial>: a second material of the <Appearance> of line 1"},
    {"coordinates on the earth", "x3d",
     X3D("<EspduTransform geoCoords='50 8 100'>" SHAPE("<Box/>") "</EspduTransform>"), 0, -2, 0,
     "geographic coordinates (geoCoords), which are not read"},
    {"the use of nothing", "x3d", X3D("<Shape USE='a'/>"), 0, -1, 0,
     "USE of \"a\", which is no node before it"},
    {"the use of what comes later", "x3d", X3D("<Shape USE='a'/><Shape DEF='a'/>"), 0, -1, 0,
     "no node before it"},
    {"the use of what is around", "x3d", X3D("<Group DEF='a'><Group USE='a'/></Group>"), 0, -1, 0,
     "which is around it"},
    {"the use of another type", "x3d", X3D("<Shape DEF='a'/><Group USE='a'/>"), 0, -1, 0,
     "a node of another type"},
    {"an index too large", "x3d",
     SHOWN("<IndexedFaceSet coordIndex='0 1 4 -1'>" POINTS "</IndexedFaceSet>"), 0, -1, 0,
     "face 0: corner 2 refers to vertex 4, where there are 4"},
    {"an index too large beside many vertices", "x3d",
     SHOWN("<IndexedFaceSet coordIndex='0 1 9 -1'>" POINTS "</IndexedFaceSet>"), 0, -1, 0,
     "vertex 9, where there are 4"},
    {"an index below zero", "x3d",
     SHOWN("<IndexedFaceSet coordIndex='0 1 -2 -1'>" POINTS "</IndexedFaceSet>"), 0, -1, 0,
     "corner 2 refers to a vertex that can't exist"},
    {"no vertices", "x3d", SHOWN("<IndexedFaceSet coordIndex='0 1 2'/>"), 0, -1, 0,
     "refers to vertex 0, where there are 0"},
    {"half a point", "x3d", SHOWN("<QuadSet><Coordinate point='1 2 3 4'/></QuadSet>"), 0, -1, 0,
     "point has 4 numbers, which are no points of three"},
    {"a word", "x3d", SHOWN("<QuadSet><Coordinate point='1 2 three'/></QuadSet>"), 0, -1, 0,
     "point must be numbers, not \"three\""},
    {"half an index", "x3d", SHOWN("<IndexedFaceSet coordIndex='1.5'/>"), 0, -1, 0,
     "coordIndex must be whole numbers, not \"1.5\""},
    {"four of three numbers", "x3d", X3D("<Transform translation='1 2 3 4'/>"), 0, -1, 0,
     "translation has 4 numbers, not 3"},
    {"neither true nor false", "x3d", SHOWN("<Extrusion ccw='yes'/>"), 0, -1, 0,
     "ccw must be true or false, not \"yes\""},
    {"a rotation about nothing", "x3d", X3D("<Transform rotation='0 0 0 1'/>"), 0, -1, 0,
     "rotation is by 1 about the axis 0 0 0"},
    {"a rotation about no number", "x3d", X3D("<Transform rotation='nan 1 0 1'/>"), 0, -1, 0,
     "about the axis nan 1 0"},
    {"a rotation by no number", "x3d", X3D("<Transform rotation='1 0 0 inf'/>"), 0, -1, 0,
     "rotation is by inf"},
    {"a box of nothing", "x3d", SHOWN("<Box size='1 0 1'/>"), 0, -1, 0,
     "size must be above 0, not 0"},
    {"a disk inside out", "x3d", SHOWN("<Disk2D innerRadius='2'/>"), 0, -1, 0, "innerRadius is 2"},
    {"a strip too long", "x3d",
     SHOWN("<TriangleStripSet stripCount='5'>" SQUARE "</TriangleStripSet>"), 0, -1, 0,
     "stripCount has 5, where 4 vertices are left and 3 is the least"},
    {"a strip too short", "x3d",
     SHOWN("<TriangleStripSet stripCount='2'>" SQUARE "</TriangleStripSet>"), 0, -1, 0,
     "stripCount has 2"},
    {"too few heights", "x3d",
     SHOWN("<ElevationGrid xDimension='2' zDimension='2' height='1 1 1'/>"), 0, -1, 0,
     "2 times 2 points are declared, and 3 heights are there"},
    {"a spine of one point", "x3d", SHOWN("<Extrusion spine='0 0 0 0 0 0'/>"), 0, -2, 0,
     "its spine has no direction"},
    {"a spine that goes back", "x3d", SHOWN("<Extrusion spine='0 0 0 0 1 0 0 0 0'/>"), 0, -2, 0,
     "its spine has no direction"},
    {"half a height", "x3d",
     SHOWN("<ElevationGrid xDimension='2.5' zDimension='2' height='1 1 1 1 1'/>"), 0, -1, 0,
     "xDimension must be whole numbers, not \"2.5\""},
    {"no row of many heights", "x3d", SHOWN("<ElevationGrid xDimension='1e300' zDimension='0'/>"),
     0, -1, 0, "not \"1e300\""},
    {"half a choice", "x3d", X3D("<Switch whichChoice='0.5'>" SHAPE("<Box/>") "</Switch>"), 0, -1,
     0, "whichChoice must be whole numbers, not \"0.5\""},
    {"a letter of no hexadecimal number", "x3d",
     X3D("<Switch whichChoice='0xG'>" SHAPE("<Box/>") "</Switch>"), 0, -1, 0, "not \"0xG\""},
    {"two coordinates", "x3d",
     SHOWN("<IndexedFaceSet coordIndex='0 1 2'>" POINTS SQUARE "</IndexedFaceSet>"), 0, -1, 0,
     "<Coordinate>: a second one of its kind in <IndexedFaceSet>"},
    {"USE of what a script has", "x3d",
     X3D("<Script><field><Shape DEF='a'><Box/></Shape></field></Script><Shape USE='a'/>"), 0, -2, 0,
     "USE of \"a\", which stands in a part of the file that is not read"},
    {"USE of a proxy", "x3d",
     X3D("<Collision><Shape DEF='a' containerField='proxy'><Box/></Shape></Collision>"
         "<Shape USE='a'/>"),
     0, -2, 0, "which stands in a part of the file that is not read"},
    {"scales for some points", "x3d",
     SHOWN("<Extrusion spine='0 0 0 0 1 0 0 2 0' scale='1 1 2 2'/>"), 0, -1, 0,
     "scale has 4 numbers, which are neither one value nor one for each of 3"},
    {"a unit of nothing", "x3d",
     "<X3D><head><unit category='length' name='a' conversionFactor='0'/></head><Scene/></X3D>", 0,
     -1, 0, "<unit>: its conversionFactor must be a number above 0 and up to 1e12, not \"0\""},
    {"a unit that is too large", "x3d",
     "<X3D><head><unit category='length' name='a' conversionFactor='1e13'/></head><Scene/></X3D>",
     0, -1, 0, "must be a number above 0 and up to 1e12, not \"1e13\""},
    {"a field in other letters", "x3d",
     X3D("<Transform Translation='1 0 0'>" SHAPE("<Box/>") "</Transform>"), 0, -1, 0,
     "<Transform>: the field \"Translation\" is none of X3D, which has \"translation\""},
    {"a use in small letters", "x3d", X3D(SHAPE("<Box/>") "<Shape use='a'/>"), 0, -1, 0,
     "the field \"use\" is none of X3D, which has \"USE\""},
    {"a shape in an appearance", "x3d", SHOWN("<Appearance><Shape/></Appearance><Box/>"), 0, -1, 0,
     "<Shape>: it has no place in <Appearance>"},
    {"a file that is not there", "x3d", X3D("<Inline url='\"no.x3d\" \"http://no/no.x3d\"'/>"), 0,
     -1, 0, "no file of \"no.x3d\" \"http://no/no.x3d\" is there"},
};

static void shapes_are_those_of_the_format(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const small_shape *shape = &rows[i].shape;
        bool given = shape->volume != 0;

        for (int k = 0; k < 6; k++)
            given = given || shape->bounds[k] != 0;
        small_model_check(&rows[i].model, given ? shape : NULL);
    }
}

static void others_are_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
        small_model_check(&refused[i], NULL);
}

/* Of the nodes of X3D 4.0, those that may have geometry and are not read are refused by name, and
 * all others that are not read are left out without a word, since nothing of a shape is in them. */
static void every_node_of_the_format_is_known(void **state)
{
    static const char *const shown[] = {"GeoLocation",
                                        "GeoLOD",
                                        "GeoTransform",
                                        "HAnimHumanoid",
                                        "HAnimJoint",
                                        "HAnimSegment",
                                        "HAnimSite",
                                        "NurbsSet",
                                        "CollidableOffset",
                                        "CollidableShape",
                                        "Layer",
                                        "LayerSet",
                                        "LayoutGroup",
                                        "LayoutLayer",
                                        "ParticleSystem",
                                        "ScreenGroup",
                                        "SegmentedVolumeData",
                                        "VolumeData",
                                        "ISOSurfaceVolumeData"};
    static const char *const geometries[] = {
        "ArcClose2D",        "GeoElevationGrid",  "NurbsCurve",         "NurbsPatchSurface",
        "NurbsSweptSurface", "NurbsSwungSurface", "NurbsTrimmedSurface"};
    static const char *const nothing[] = {"AcousticProperties",
                                          "Analyser",
                                          "AudioClip",
                                          "AudioDestination",
                                          "Background",
                                          "BallJoint",
                                          "BiquadFilter",
                                          "BooleanFilter",
                                          "BooleanSequencer",
                                          "BooleanToggle",
                                          "BooleanTrigger",
                                          "BufferAudioSource",
                                          "ChannelMerger",
                                          "ChannelSelector",
                                          "ChannelSplitter",
                                          "CollisionCollection",
                                          "CollisionSensor",
                                          "CollisionSpace",
                                          "ColorChaser",
                                          "ColorDamper",
                                          "ColorInterpolator",
                                          "Convolver",
                                          "CoordinateChaser",
                                          "CoordinateDamper",
                                          "CoordinateInterpolator",
                                          "CoordinateInterpolator2D",
                                          "CylinderSensor",
                                          "Delay",
                                          "DirectionalLight",
                                          "DISEntityManager",
                                          "DISEntityTypeMapping",
                                          "DoubleAxisHingeJoint",
                                          "DynamicsCompressor",
                                          "EaseInEaseOut",
                                          "EnvironmentLight",
                                          "Fog",
                                          "Gain",
                                          "GeoMetadata",
                                          "GeoPositionInterpolator",
                                          "GeoProximitySensor",
                                          "GeoTouchSensor",
                                          "GeoViewpoint",
                                          "IntegerSequencer",
                                          "IntegerTrigger",
                                          "KeySensor",
                                          "LinePickSensor",
                                          "ListenerPointSource",
                                          "LoadSensor",
                                          "LocalFog",
                                          "MetadataSet",
                                          "MicrophoneSource",
                                          "MotorJoint",
                                          "NavigationInfo",
                                          "NormalInterpolator",
                                          "NurbsOrientationInterpolator",
                                          "NurbsPositionInterpolator",
                                          "NurbsSurfaceInterpolator",
                                          "OrientationChaser",
                                          "OrientationDamper",
                                          "OrientationInterpolator",
                                          "OrthoViewpoint",
                                          "OscillatorSource",
                                          "PeriodicWave",
                                          "PlaneSensor",
                                          "PointLight",
                                          "PointPickSensor",
                                          "PositionChaser",
                                          "PositionChaser2D",
                                          "PositionDamper",
                                          "PositionDamper2D",
                                          "PositionInterpolator",
                                          "PositionInterpolator2D",
                                          "PrimitivePickSensor",
                                          "ProximitySensor",
                                          "ReceiverPdu",
                                          "RigidBody",
                                          "RigidBodyCollection",
                                          "ScalarChaser",
                                          "ScalarDamper",
                                          "ScalarInterpolator",
                                          "Script",
                                          "SignalPdu",
                                          "SingleAxisHingeJoint",
                                          "SliderJoint",
                                          "Sound",
                                          "SpatialSound",
                                          "SphereSensor",
                                          "SplinePositionInterpolator",
                                          "SplinePositionInterpolator2D",
                                          "SplineScalarInterpolator",
                                          "SpotLight",
                                          "SquadOrientationInterpolator",
                                          "StreamAudioDestination",
                                          "StreamAudioSource",
                                          "StringSensor",
                                          "TexCoordChaser2D",
                                          "TexCoordDamper2D",
                                          "TextureBackground",
                                          "TextureProjector",
                                          "TextureProjectorParallel",
                                          "TimeSensor",
                                          "TimeTrigger",
                                          "TouchSensor",
                                          "TransformSensor",
                                          "TransmitterPdu",
                                          "UniversalJoint",
                                          "Viewpoint",
                                          "ViewpointGroup",
                                          "VisibilitySensor",
                                          "VolumePickSensor",
                                          "WaveShaper",
                                          "WorldInfo"};
    char text[512], says[64];

    (void)state;
    for (size_t i = 0; i < sizeof shown / sizeof shown[0]; i++) {
        const small_model model = {shown[i], "x3d", text, 0, -2, 0, says};

        (void)snprintf(text, sizeof text, X3D("<%s/>" SHAPE(CORNER)), shown[i]);
        (void)snprintf(says, sizeof says, "<%s>: it is not read, and may have", shown[i]);
        small_model_check(&model, NULL);
    }
    for (size_t i = 0; i < sizeof geometries / sizeof geometries[0]; i++) {
        const small_model model = {geometries[i], "x3d", text, 0, -2, 0, says};

        (void)snprintf(text, sizeof text, X3D("<Shape><%s/></Shape>" SHAPE(CORNER)), geometries[i]);
        (void)snprintf(says, sizeof says, "<%s>: it is not read, and may have", geometries[i]);
        small_model_check(&model, NULL);
    }
    for (size_t i = 0; i < sizeof nothing / sizeof nothing[0]; i++) {
        const small_model model = {nothing[i], "x3d", text, 0, 4, 9.46410161513775, NULL};

        (void)snprintf(text, sizeof text, X3D("<%s/>" SHAPE(CORNER)), nothing[i]);
        small_model_check(&model, NULL);
    }
}

/* Areas and volumes of prisms and rings of 64 corners. */
static void round_shapes_lie_on_their_surface(void **state)
{
    static const char says[] = "1 round shape is read with 64 corners around";
    const double pi = acos(-1), circle = 32 * sin(2 * pi / 64), edge = 2 * sin(pi / 64);
    const double slope = sqrt(4 + cos(pi / 64) * cos(pi / 64));
    double sphere = 0, area = 0;

    (void)state;
    for (int i = 0; i < 32; i++) {
        const double a = pi * i / 32, b = pi * (i + 1) / 32, high = cos(a) - cos(b);
        const double narrow = sin(a), wide = sin(b), flat = (wide - narrow) * cos(pi / 64);

        sphere += high * circle * (narrow * narrow + narrow * wide + wide * wide) / 3;
        area += 64 * edge / 2 * (narrow + wide) * sqrt(high * high + flat * flat);
    }
    const row round[] = {
        ROW("a cylinder", SHOWN("<Cylinder/>"), 252, 2 * circle + 64 * edge * 2, says,
            {2 * circle, {-1, -1, -1, 1, 1, 1}}),
        ROW("a tube", SHOWN("<Cylinder top='false' bottom='false' radius='2' height='1'/>"), 128,
            64 * edge * 2, says, {circle * 8 / 3, {-2, -.5, -2, 2, .5, 2}}),
        ROW("a cone", SHOWN("<Cone/>"), 126, circle + 64 * edge * slope / 2, says,
            {2 * circle / 3, {-1, -1, -1, 1, 1, 1}}),
        ROW("half a cone", SHOWN("<Cone side='false'/>"), 62, circle, says,
            {circle / 3, {-1, -1, -1, 1, -1, 1}}),
        ROW("a sphere", SHOWN("<Sphere/>"), 3968, area, says, {sphere, {-1, -1, -1, 1, 1, 1}}),
        ROW("a disk", SHOWN("<Disk2D outerRadius='2'/>"), 62, 4 * circle, says,
            {0, {-2, -2, 0, 2, 2, 0}}),
        ROW("a ring", SHOWN("<Disk2D innerRadius='1' outerRadius='2'/>"), 128, 3 * circle, says,
            {0, {-2, -2, 0, 2, 2, 0}}),
    };
    for (size_t i = 0; i < sizeof round / sizeof round[0]; i++)
        small_model_check(&round[i].model, &round[i].shape);
}

/* -- files -- */

static void write_text(const char *folder, const char *name, const char *text)
{
    char path[512];
    FILE *file;

    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static kiln_bake_status import_file(const char *folder, const char *name, kiln_soup *soup,
                                    kiln_bake_report *report)
{
    const kiln_bake_options options = {
        .struct_size = sizeof options, .leaf = 4, .scale = 1, .up = -1, .import_seconds = 1000};
    char path[512];
    const kiln_bake_input input = {.path = path};

    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    memset(report, 0, sizeof *report);
    return kiln_import(&input, &options, soup, report);
}

/* Files in files, in their folders and units; each is a side file. */
static void files_are_read_where_they_stand(void **state)
{
    const char *scratch = getenv("TMPDIR");
    char folder[256];
    kiln_bake_report report;
    kiln_soup soup;

    (void)state;
    (void)snprintf(folder, sizeof folder, "%s/x3d.XXXXXX", scratch != NULL ? scratch : "/tmp");
    assert_non_null(mkdtemp(folder));
    char below[300];
    (void)snprintf(below, sizeof below, "%s/a b", folder);
    assert_int_equal(mkdir(below, 0700), 0);
    write_text(folder, "model.x3d",
               X3D("<Transform translation='1 0 0'><Inline DEF='in' url='\"http://no/\" "
                   "\"a%20b/one.x3d\"'/></Transform><Inline USE='in'/>"));
    write_text(below, "one.x3d",
               "<X3D><head><unit category='length' name='a' conversionFactor='10'/></head><Scene>"
               "<Inline url='two.x3d'/><Switch><Inline url='none.x3d'/></Switch></Scene></X3D>");
    write_text(below, "two.x3d", X3D(SHAPE(CORNER)));
    if (import_file(folder, "model.x3d", &soup, &report) != KILN_BAKE_OK)
        fail_msg("%s", report.error);
    assert_int_equal(soup.triangle_count, 8);
    assert_int_equal(soup.vertex_count, 8);
    /* Its own metre is one of the model's; that of one.x3d is ten. */
    assert_true(soup.positions[0] == 1);
    assert_int_equal(soup.side_file_count, 2);
    kiln_soup_free(&soup);
    kiln_bake_report_free(&report);

    /* A string ends at its own quotation mark. */
    write_text(folder, "it's one.x3d", X3D(SHAPE("<Box/>")));
    write_text(folder, "s one.x3d", X3D(SHAPE(CORNER)));
    write_text(folder, "model2.x3d",
               X3D("<Inline url='\"\" &quot;it&apos;s one.x3d&quot; \"s one.x3d\"'/>"));
    if (import_file(folder, "model2.x3d", &soup, &report) != KILN_BAKE_OK)
        fail_msg("%s", report.error);
    assert_int_equal(soup.triangle_count, 12);
    kiln_soup_free(&soup);
    kiln_bake_report_free(&report);

    write_text(below, "two.x3d", X3D("<Inline url='one.x3d'/>"));
    assert_int_equal(import_file(folder, "model.x3d", &soup, &report), KILN_BAKE_INVALID);
    assert_non_null(strstr(report.error, "the file of one.x3d contains itself"));
    kiln_bake_report_free(&report);
    write_text(below, "two.x3d", X3D("<Inline url='../model.x3d'/>"));
    assert_int_equal(import_file(folder, "model.x3d", &soup, &report), KILN_BAKE_INVALID);
    assert_non_null(strstr(report.error, "contains itself"));
    kiln_bake_report_free(&report);
    write_text(below, "two.x3d", X3D("\n<Box/>"));
    assert_int_equal(import_file(folder, "model.x3d", &soup, &report), KILN_BAKE_INVALID);
    assert_non_null(strstr(report.error, "a b/two.x3d, line 2: <Box>"));
    kiln_bake_report_free(&report);
    write_text(below, "two.x3d", "<X3D>");
    assert_int_equal(import_file(folder, "model.x3d", &soup, &report), KILN_BAKE_INVALID);
    assert_non_null(strstr(report.error, "a b/two.x3d, line 1: the XML is not well-formed"));
    kiln_bake_report_free(&report);
    write_text(below, "one.x3d", X3D("<Inline url='three.wrl'/>"));
    write_text(below, "three.wrl", "#VRML");
    assert_int_equal(import_file(folder, "model.x3d", &soup, &report), KILN_BAKE_UNSUPPORTED);
    assert_non_null(strstr(report.error, "\"a b/three.wrl\" is not named .x3d"));
    kiln_bake_report_free(&report);
}

/* A viewpoint behind a name is none of it, unless only the whole name is there. Of copies, the
 * first in a format that is read counts. */
static void names_of_files_have_more_than_a_name(void **state)
{
    const char *scratch = getenv("TMPDIR");
    char folder[256];
    kiln_bake_report report;
    kiln_soup soup;

    (void)state;
    (void)snprintf(folder, sizeof folder, "%s/x3d.XXXXXX", scratch != NULL ? scratch : "/tmp");
    assert_non_null(mkdtemp(folder));
    write_text(folder, "one.x3d", X3D(SHAPE(CORNER)));
    write_text(folder, "two.x3d", X3D(SHAPE(CORNER)));
    write_text(folder, "model.x3d",
               X3D("<Inline url='two.x3d#1.5'/><Inline url='\"no.x3d#V\" \"one.x3d#V\"'/>"));
    if (import_file(folder, "model.x3d", &soup, &report) != KILN_BAKE_OK)
        fail_msg("%s", report.error);
    assert_int_equal(soup.triangle_count, 8);
    assert_int_equal(soup.side_file_count, 2);
    /* no.x3d and no.x3d#V: if a file gets one of these names, the bake is another. */
    assert_int_equal(soup.absent_file_count, 2);
    kiln_soup_free(&soup);
    kiln_bake_report_free(&report);
    write_text(folder, "a#one.x3d", X3D(SHAPE("<Box/>")));
    write_text(folder, "model.x3d", X3D("<Inline url='a#one.x3d'/><Inline url='a%23one.x3d'/>"));
    if (import_file(folder, "model.x3d", &soup, &report) != KILN_BAKE_OK)
        fail_msg("%s", report.error);
    assert_int_equal(soup.triangle_count, 24);
    assert_int_equal(soup.absent_file_count, 1);
    kiln_soup_free(&soup);
    kiln_bake_report_free(&report);

    write_text(folder, "first.wrl", "#VRML");
    write_text(folder, "model.x3d", X3D("<Inline url='\"first.wrl\" \"one.x3d\"'/>"));
    if (import_file(folder, "model.x3d", &soup, &report) != KILN_BAKE_OK)
        fail_msg("%s", report.error);
    assert_int_equal(soup.triangle_count, 4);
    assert_int_equal(soup.side_file_count, 1);
    kiln_soup_free(&soup);
    kiln_bake_report_free(&report);
    write_text(folder, "model.x3d", X3D("<Inline url='\"no.x3d\" \"first.wrl\" \"no2.x3d\"'/>"));
    assert_int_equal(import_file(folder, "model.x3d", &soup, &report), KILN_BAKE_UNSUPPORTED);
    assert_non_null(strstr(report.error, "\"first.wrl\" is not named .x3d"));
    kiln_bake_report_free(&report);
}

/* What is used many times costs its use, and not its text or what shows nothing in it. Each took
 * from one minute to several. */
static void many_uses_of_a_long_node_are_quick(void **state)
{
    enum { MANY = 300000 };
    static const struct {
        const char *before, *part, *after, *use;
        int parts, uses;
        uint32_t lines;
    } models[] = {
        {"<Group DEF='g'>", "<WorldInfo/>", "</Group>", "<Group USE='g'/>", MANY, MANY, 0},
        {"<Transform DEF='g' translation='0 0 0", "        ", "'/>", "<Transform USE='g'/>", MANY,
         MANY, 0},
        {"<Shape><LineSet DEF='g' vertexCount='", "2        ",
         "'><Coordinate point='0 0 0 1 0 0'/></LineSet></Shape>",
         "<Shape><LineSet USE='g'/></Shape>", 1, 1, 2},
        {"<Shape><IndexedLineSet DEF='g' coordIndex='", "0 0 -1  ", "'/></Shape>",
         "<Shape><IndexedLineSet USE='g'/></Shape>", 100000, 19999, 2000000000},
    };
    const kiln_bake_options options = {
        .struct_size = sizeof options, .leaf = 4, .scale = 1, .up = -1, .import_seconds = 60};

    (void)state;
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++) {
        char *text = NULL;
        size_t size = 0;
        FILE *to = open_memstream(&text, &size);
        kiln_bake_report report = {0};
        kiln_bake_input input = {.format = "x3d"};
        kiln_soup soup;

        assert_non_null(to);
        (void)fprintf(to, "<X3D><Scene>%s%s", SHAPE(CORNER), models[i].before);
        for (int k = 0; k < models[i].parts; k++)
            (void)fputs(models[i].part, to);
        (void)fputs(models[i].after, to);
        for (int k = 0; k < models[i].uses; k++)
            (void)fputs(models[i].use, to);
        (void)fputs("</Scene></X3D>", to);
        assert_int_equal(fclose(to), 0);
        input.data = text;
        input.size = size;
        if (kiln_import(&input, &options, &soup, &report) != KILN_BAKE_OK)
            fail_msg("model %zu: %s", i, report.error);
        assert_int_equal(soup.triangle_count, 4);
        assert_int_equal(soup.lines_left_out, models[i].lines);
        kiln_soup_free(&soup);
        kiln_bake_report_free(&report);
        free(text);
    }
}

/* Parts, faces and materials, as the file has them. */
static void names_and_numbers_are_kept(void **state)
{
    static const char text[] =
        X3D("<Group DEF='room'><Shape><Appearance DEF='a'><Material DEF='steel'/>"
            "<Material DEF='rust' containerField='backMaterial'/></Appearance>"
            "<IndexedFaceSet DEF='wall' coordIndex='0 1 -1 0 1 2 3 -1 -1 2 3 0 -1'>" SQUARE
            "</IndexedFaceSet></Shape><WorldInfo/><MetadataSet/><Shape><QuadSet>" SQUARE
            "</QuadSet></Shape></Group>");
    const kiln_bake_options options = {
        .struct_size = sizeof options, .leaf = 4, .scale = 1, .up = -1, .import_seconds = 1000};
    const kiln_bake_input input = {.data = text, .size = sizeof text - 1, .format = "x3d"};
    kiln_bake_report report = {0};
    kiln_soup soup;

    (void)state;
    assert_int_equal(kiln_import(&input, &options, &soup, &report), KILN_BAKE_OK);
    assert_int_equal(soup.part_count, 2);
    assert_string_equal(soup.strings + soup.parts[0].node_path, "/Scene/room/Shape[0]");
    assert_string_equal(soup.strings + soup.parts[1].node_path, "/Scene/room/Shape[2]");
    assert_string_equal(soup.strings + soup.parts[0].mesh_name, "wall");
    assert_string_equal(soup.strings + soup.parts[1].mesh_name, "QuadSet");
    assert_int_equal(soup.lines_left_out, 1);
    assert_int_equal(soup.face[0], 1);
    assert_int_equal(soup.face[2], 2);
    assert_int_equal(soup.user[0], 1);
    assert_int_equal(soup.user[3], 0);
    assert_string_equal(soup.strings + soup.materials[0], "DefaultMaterial");
    assert_string_equal(soup.strings + soup.materials[1], "steel");
    assert_true(soup.unit == 1 && soup.up_axis == 1);
    kiln_soup_free(&soup);
    kiln_bake_report_free(&report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(shapes_are_those_of_the_format),
                                       cmocka_unit_test(others_are_refused),
                                       cmocka_unit_test(every_node_of_the_format_is_known),
                                       cmocka_unit_test(round_shapes_lie_on_their_surface),
                                       cmocka_unit_test(files_are_read_where_they_stand),
                                       cmocka_unit_test(names_of_files_have_more_than_a_name),
                                       cmocka_unit_test(many_uses_of_a_long_node_are_quick),
                                       cmocka_unit_test(names_and_numbers_are_kept)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
